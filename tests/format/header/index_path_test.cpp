// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/index_path.h"

#include <gtest/gtest.h>

namespace dgfs::format {
namespace {

TEST(IndexPath, LeadsToTheImageAndBack) {
  EXPECT_EQ(default_index_path("/data/tree.dgfs"), "/data/tree.dgfs.idx");
  EXPECT_EQ(image_path_of_index("/data/tree.dgfs.idx"), "/data/tree.dgfs");
  EXPECT_EQ(image_path_of_index("tree.idx.idx"), "tree.idx");
}

TEST(IndexPath, OfNoImage) {
  for (const auto* path : {"", ".idx", "tree.dgfs", "tree.idx.old", "treeidx"}) {
    EXPECT_EQ(image_path_of_index(path), std::nullopt) << path;
  }
}

}  // namespace
}  // namespace dgfs::format
