// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Access by a list; tools.gnu_compare compares with the kernel's answers for random lists.
#include "tools/find/access_check.h"

#include <gtest/gtest.h>

#include "format/entry/access_list.h"
#include "reader/image.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using tools::Access;
using tools::may_access;

// user::rw-, user:1234:r--, group::---, mask::rw-, other::---
const Buffer kList = {2, 0,   0,   0,   1,   0,   6,    0, 255, 255, 255, 255, 2,   0,    4,
                      0, 210, 4,   0,   0,   4,   0,    0, 0,   255, 255, 255, 255, 0x10, 0,
                      6, 0,   255, 255, 255, 255, 0x20, 0, 0,   0,   255, 255, 255, 255};

class AccessCheck : public ::testing::Test {
 protected:
  void pack(const Buffer& list) {
    tree_.file("f", "content");
    const auto root = tree_.parent("f");
    expect_ok(root->set_owner("f", 1, 2));
    expect_ok(root->set_mode("f", 0664));
    expect_ok(root->set_xattr("f", format::kAccessListXattr, list));
    tree_.pack();
    image_ = tree_.open();
  }
  bool may_read(std::uint32_t user, std::uint32_t group) {
    const auto node = value_of(image_->lookup("f"));
    return may_access(*image_, node, {user, group, {}}, Access::kRead);
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
};

TEST_F(AccessCheck, TheListDecidesAndNotTheMode) {
  pack(kList);
  EXPECT_TRUE(may_read(1, 9));
  EXPECT_TRUE(may_read(1234, 9));
  EXPECT_FALSE(may_read(5, 2)) << "the group bits of the mode are the mask";
  EXPECT_FALSE(may_read(5, 9));
}

TEST_F(AccessCheck, AMalformedListGivesNobodyButTheOwnerAnything) {
  auto longer = kList;
  longer.push_back(0);
  pack(longer);
  EXPECT_TRUE(may_read(1, 9));
  EXPECT_FALSE(may_read(1234, 9));
  EXPECT_FALSE(may_read(5, 2));
  EXPECT_FALSE(may_read(5, 9));
}

}  // namespace
}  // namespace dgfs::test
