// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace dgfs {
namespace {

TEST(Bytes, TextKeepsNulAndHighBytesBothWays) {
  const std::string text("a\0\xff", 3);
  const Bytes bytes = as_bytes(text);
  ASSERT_EQ(bytes.size(), 3u);
  EXPECT_EQ(bytes[1], 0x00);
  EXPECT_EQ(bytes[2], 0xff);
  EXPECT_EQ(as_text(bytes), text);
}

TEST(Bytes, EmptyTextIsEmptyBytes) { EXPECT_TRUE(as_bytes("").empty()); }

TEST(Time, OrdersBySecondsThenNanosecondsAlsoBefore1970) {
  EXPECT_LT((Time{-2, 999'999'999}), (Time{-1, 0}));
  EXPECT_LT((Time{5, 1}), (Time{5, 2}));
  EXPECT_EQ((Time{5, 1}), (Time{5, 1}));
}

}  // namespace
}  // namespace dgfs
