// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/printable.h"

#include <gtest/gtest.h>

namespace dgfs {
namespace {

TEST(Printable, EscapesControlsOnly) {
  EXPECT_EQ(printable("a b'c\n\x1b\xff"), "a b'c\\n\\033\\377");
}

TEST(Utf8, RefusesMalformedCharacters) {
  for (const char* text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "\xc3z"}) {
    EXPECT_EQ(decode_utf8(text).length, 0U) << printable(text);
  }
  EXPECT_EQ(decode_utf8("\xf0\x9f\x98\x80").value, 0x1f600U);
}

}  // namespace
}  // namespace dgfs
