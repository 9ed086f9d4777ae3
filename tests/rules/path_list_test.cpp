// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "rules/path_list.h"

#include <gtest/gtest.h>

namespace dgfs::rules {
namespace {

using Views = std::vector<std::string_view>;

TEST(PathList, TakesPathsWithWhatIsBelowAndTheWayThere) {
  const PathList list({"/a/./b/", "c", "a/b"});
  EXPECT_EQ(list.paths(), (std::vector<std::string>{"a/b", "c"}));
  for (const auto* path : {"", "a", "a/b", "a/b/x/y", "c", "c/d"}) {
    EXPECT_TRUE(list.includes(path)) << path;
  }
  for (const auto* path : {"b", "a/bb", "a/c", "cc", "x/c"}) {
    EXPECT_FALSE(list.includes(path)) << path;
  }
}

TEST(PathList, IsEverythingWhereItIsEmptyOrHasTheRoot) {
  EXPECT_TRUE(PathList().empty());
  EXPECT_TRUE(PathList().includes("a"));
  EXPECT_TRUE(PathList({"x", "."}).includes("a/b"));
  EXPECT_FALSE(PathList({"."}).empty());
}

TEST(PathList, SplitsLines) {
  EXPECT_EQ(split_lines("a\r\n\nb b\n c", '\n'), (Views{"a", "b b", " c"}));
  EXPECT_EQ(split_lines(std::string_view("a\nb\0\0c\r", 7), '\0'), (Views{"a\nb", "c\r"}));
  EXPECT_TRUE(split_lines("", '\n').empty());
}

TEST(PathList, CleansPaths) {
  EXPECT_EQ(clean_path("./a//b/."), "a/b");
  EXPECT_EQ(clean_path("/"), "");
  EXPECT_EQ(clean_path("a/../b"), "b");
  EXPECT_EQ(clean_path("a/b/.././../c/.."), "");
  EXPECT_EQ(clean_path("a/../../b/../../c"), "../../c");
}

}  // namespace
}  // namespace dgfs::rules
