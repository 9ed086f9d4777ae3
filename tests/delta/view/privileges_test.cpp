// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A file loses its privileges in the same step as the change that ends them.
#include "format/entry/access_list.h"
#include "format/entry/mode.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

class ViewPrivileges : public testing::Test {
 protected:
  ViewPrivileges() {
    viewed_.tree().file("program", "runs");
    viewed_.open();
    program_ = value_of(view().lookup(kRoot, "program")).object;
  }

  [[nodiscard]] view::View& view() { return viewed_.view(); }
  [[nodiscard]] view::Attributes attributes() { return value_of(view().attributes(program_)); }
  [[nodiscard]] bool has_capabilities() {
    const auto value = view().xattr(program_, format::kCapabilityXattr);
    EXPECT_TRUE(value || value.error().kind() == ErrorKind::kNoAttribute);
    return static_cast<bool>(value);
  }
  void change(const view::AttributeChange& wish) {
    value_of(view().set_attributes(program_, wish));
  }
  void set_mode(std::uint32_t permissions) {
    view::AttributeChange wish;
    wish.permissions = permissions;
    change(wish);
  }

  ViewedTree viewed_;
  ObjectNumber program_ = 0;
};

TEST_F(ViewPrivileges, BitsAreClearedWhateverTheOthersAreByThen) {
  set_mode(06755);
  view::AttributeChange wish;
  wish.cleared_permissions = format::kSetUserId | format::kSetGroupId;
  set_mode(06711);  // another process gets in first
  change(wish);
  EXPECT_EQ(attributes().mode & format::kPermissionMask, 0711U);
}

TEST_F(ViewPrivileges, BitsAreClearedOfPermissionsThatAreSetToo) {
  view::AttributeChange wish;
  wish.permissions = 07755;
  wish.cleared_permissions = format::kSetGroupId;
  change(wish);
  EXPECT_EQ(attributes().mode & format::kPermissionMask, 05755U);
  EXPECT_TRUE(format::is_regular(attributes().mode)) << "the type does not change";
}

TEST_F(ViewPrivileges, CapabilitiesGoWithAChangeThatDropsThem) {
  expect_ok(view().set_xattr(program_, format::kCapabilityXattr, as_bytes("all of them")));
  set_mode(0755);
  EXPECT_TRUE(has_capabilities());
  view::AttributeChange wish;
  wish.drops_capabilities = true;
  change(wish);
  EXPECT_FALSE(has_capabilities());
  change(wish);
  EXPECT_FALSE(has_capabilities()) << "the file has no capabilities to drop";
  viewed_.reopen();
  EXPECT_FALSE(has_capabilities());
}

TEST_F(ViewPrivileges, AnAccessListClearsBitsInTheSameStep) {
  set_mode(02755);
  // Version 2; owner rw, group r, others nothing.
  const std::string nobody(4, '\xff');
  const std::string list = std::string("\x02\0\0\0", 4) + std::string("\x01\0\x06\0", 4) + nobody +
                           std::string("\x04\0\x04\0", 4) + nobody + std::string("\x20\0\0\0", 4) +
                           nobody;
  expect_ok(view().set_xattr(program_, format::kAccessListXattr, as_bytes(list),
                             view::XattrMode::kSet, format::kSetGroupId));
  EXPECT_EQ(attributes().mode & format::kPermissionMask, 0640U);
}

// With write-back caching, only the kernel knows this time.
TEST_F(ViewPrivileges, TheTimeOfChangeMayBeGiven) {
  view::AttributeChange wish;
  wish.ctime = Time{1'000'000, 7};
  change(wish);
  EXPECT_EQ(attributes().ctime, (Time{1'000'000, 7}));
  wish.ctime = Time{0, 2'000'000'000};
  EXPECT_EQ(view().set_attributes(program_, wish).error().kind(), ErrorKind::kInvalidArgument);
  set_mode(0700);
  EXPECT_NE(attributes().ctime, (Time{1'000'000, 7}))
      << "without a given time, ctime is the current time";
}

}  // namespace
}  // namespace dgfs::test
