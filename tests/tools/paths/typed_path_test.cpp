// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/typed_path.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace dgfs::test {
namespace {

using tools::with_typed_path;

std::string here() { return std::filesystem::canonical(".").string(); }

TEST(TypedPath, StandsWhereTheWholePathStood) {
  const auto path = here() + "/some.delta";
  EXPECT_EQ(with_typed_path(path + ": is full", "some.delta"), "some.delta: is full");
  EXPECT_EQ(with_typed_path(path + "/base.0003.dgfs is missing", "some.delta"),
            "some.delta/base.0003.dgfs is missing");
  EXPECT_EQ(with_typed_path("x is not of " + path + ", nor y of " + path, "some.delta"),
            "x is not of some.delta, nor y of some.delta");
}

TEST(TypedPath, OtherPathsStay) {
  const auto path = here() + "/some.delta";
  for (const auto& other : {path + "2: is full", "/x" + path + ": is full", path + ".idx: is full",
                            std::string("nothing about it")}) {
    EXPECT_EQ(with_typed_path(other, "some.delta"), other);
  }
  EXPECT_EQ(with_typed_path("/some.delta: is full", "/some.delta"), "/some.delta: is full");
  EXPECT_EQ(with_typed_path("/: is full", ""), "/: is full");
}

// A mount names the path without links.
TEST(TypedPath, ALinkIsTyped) {
  const auto target = here() + "/typed_path_test.target";
  const auto link = here() + "/typed_path_test.link";
  std::filesystem::create_directory(target);
  std::filesystem::create_directory_symlink(target, link);
  EXPECT_EQ(with_typed_path(target + ": is full", link), link + ": is full");
  EXPECT_EQ(with_typed_path(target + ": is full", "./typed_path_test.link"),
            "./typed_path_test.link: is full");
  std::filesystem::remove(link);
  std::filesystem::remove(target);
}

}  // namespace
}  // namespace dgfs::test
