// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The output of GNU cat 9.1; tools.gnu_compare compares whole files.
#include "tools/cat_filter.h"

#include <gtest/gtest.h>

namespace dgfs::tools {
namespace {

/// Filters all of `text`, one byte at a time.
std::string filtered(const CatOptions& options, std::string_view text) {
  CatFilter filter(options);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) out += filter.next(text.substr(i, 1));
  return out + filter.end();
}

TEST(CatFilter, NumbersLines) {
  EXPECT_EQ(filtered({.numbers_all = true}, "\na\n\nb"),
            "     1\t\n     2\ta\n     3\t\n     4\tb");
  EXPECT_EQ(filtered({.numbers_all = true, .numbers_nonblank = true}, "\na\n\nb"),
            "\n     1\ta\n\n     2\tb");
}

TEST(CatFilter, SqueezesBlankLines) {
  EXPECT_EQ(filtered({.squeezes = true}, "\n\n\na\n\n\n\nb\n"), "\na\n\nb\n");
  EXPECT_EQ(filtered({.numbers_all = true, .squeezes = true}, "a\n\n\nb"),
            "     1\ta\n     2\t\n     3\tb");
}

TEST(CatFilter, ShowsWhatCannotBeSeen) {
  EXPECT_EQ(filtered({.shows_others = true}, "\x01\t\x7f\x80\x89\xa1\xff\n"),
            "^A\t^?M-^@M-^IM-!M-^?\n");
  EXPECT_EQ(filtered({.shows_tabs = true}, "\t\x01"), "^I\x01");
  EXPECT_EQ(filtered({.shows_ends = true}, "a\n\n"), "a$\n$\n");
}

TEST(CatFilter, ShowsAReturnThatHidesTheEnd) {
  EXPECT_EQ(filtered({.shows_ends = true}, "a\r\nb\rc\r"), "a^M$\nb\rc\r");
  EXPECT_EQ(filtered({.shows_ends = true, .shows_others = true}, "a\r\n"), "a^M$\n");
}

}  // namespace
}  // namespace dgfs::tools
