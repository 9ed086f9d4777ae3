// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/build/option_values.h"

#include <gtest/gtest.h>

namespace dgfs::tools {
namespace {

TEST(CompressionOption, NamesMethodAndLevel) {
  EXPECT_FALSE(parse_compression("none").value());
  EXPECT_EQ(parse_compression("zstd").value()->level, builder::kCompressionLevelDefault);
  EXPECT_EQ(parse_compression("zstd:1").value()->level, 1);
  EXPECT_EQ(parse_compression("zstd:22").value()->level, 22);
}

TEST(CompressionOption, RefusesOthers) {
  for (const char* text : {"", "gzip", "ZSTD", "zstd3", "none:1"}) {
    EXPECT_EQ(parse_compression(text).error().code(), 6066) << text;
  }
  for (const char* text : {"zstd:", "zstd:0", "zstd:23", "zstd:-1", "zstd:3x", "zstd: 3",
                           "zstd:99999999999999999999"}) {
    EXPECT_EQ(parse_compression(text).error().code(), 6067) << text;
  }
}

}  // namespace
}  // namespace dgfs::tools
