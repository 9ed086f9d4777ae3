// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/acl_mask.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using reader::group_bits_of_acl;

// user::rw-, user:1234:rwx, group::r-x, mask::rw-, other::---
const Buffer kWithMask = {2,    0, 0, 0,                       //
                          1,    0, 6, 0, 255, 255, 255, 255,   //
                          2,    0, 7, 0, 210, 4,   0,   0,     //
                          4,    0, 5, 0, 255, 255, 255, 255,   //
                          0x10, 0, 6, 0, 255, 255, 255, 255,   //
                          0x20, 0, 0, 0, 255, 255, 255, 255};  //

TEST(AclMask, LimitsWhatTheGroupHas) { EXPECT_EQ(group_bits_of_acl(kWithMask), 04U); }

TEST(AclMask, OfAnAclWithoutOne) {
  auto acl = kWithMask;
  acl.erase(acl.begin() + 28, acl.begin() + 36);
  EXPECT_EQ(group_bits_of_acl(acl), 05U);
}

TEST(AclMask, OfWhatIsNone) {
  EXPECT_EQ(group_bits_of_acl({}), std::nullopt);
  EXPECT_EQ(group_bits_of_acl(as_bytes("own")), std::nullopt);
  auto other_version = kWithMask;
  other_version[0] = 1;
  EXPECT_EQ(group_bits_of_acl(other_version), std::nullopt);
  // Cut anywhere, it is read to its end and no further.
  for (std::size_t length = 0; length < kWithMask.size(); ++length) {
    const Buffer cut(kWithMask.begin(), kWithMask.begin() + static_cast<long>(length));
    EXPECT_EQ(group_bits_of_acl(cut).has_value(), length >= 28) << length;
  }
}

}  // namespace
}  // namespace dgfs::test
