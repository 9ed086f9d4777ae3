// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Files of O_TMPFILE that are made before a merge into a base, and get a name before its seal,
// while the base is made, or after the switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "delta/store/directory/states.h"
#include "format/entry/mode.h"
#include "tests/delta/merge/live_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

class UnnamedMerge : public testing::Test {
 protected:
  UnnamedMerge() {
    tree_.tree().directory("d");
    tree_.tree().file("d/f", "of the image");
    tree_.open();
    file_ = value_of(view().create_unnamed(tree_.object("d"), 0640, {7, 8, 0})).object;
    write_at(view(), file_, 0, kContent);
    write_at(view(), file_, 3'000, "behind a hole");
    expect_ok(view().set_xattr(file_, "user.of", as_bytes("a file without a name")));
  }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] bool is_in_base() { return std::ranges::count(tree_.nameless(), file_) == 1; }
  void link(const std::string& name = "named") {
    EXPECT_EQ(value_of(view().link(file_, tree_.object("d"), name)).object, file_);
  }
  void expect_whole() {
    const auto attributes = value_of(view().attributes(file_));
    EXPECT_EQ(attributes.mode, format::kTypeRegular | 0640U);
    EXPECT_EQ(attributes.uid, 7U);
    EXPECT_EQ(attributes.gid, 8U);
    const auto content = content_of(view(), file_);
    EXPECT_EQ(content.substr(0, kContent.size()), kContent);
    EXPECT_EQ(content.substr(2'999), std::string(1, '\0') + "behind a hole");
    EXPECT_EQ(as_text(value_of(view().xattr(file_, "user.of"))), "a file without a name");
    tree_.expect_sound();
  }
  void expect_named_for_ever() {
    expect_ok(view().release(file_));
    EXPECT_EQ(tree_.object("d/named"), file_);
    EXPECT_EQ(value_of(view().attributes(file_)).link_count, 1U);
    expect_whole();
    tree_.expect_same_after_reopening();
    expect_whole();
    tree_.merge();
    expect_whole();
    tree_.expect_same_after_reopening();
    EXPECT_TRUE(tree_.nameless().empty());
    EXPECT_EQ(tree_.object("d/named"), file_);
  }
  // As linkat(2) says of a file that has lost its last name.
  void expect_not_linkable() {
    EXPECT_EQ(kind_of(view().link(file_, kRoot, "again")), ErrorKind::kNotFound);
  }

  static constexpr std::string_view kContent = "content of a file without a name";
  LiveTree tree_;
  ObjectNumber file_ = 0;
};

TEST_F(UnnamedMerge, GetsItsNameAfterTheSwitch) {
  tree_.merge();
  EXPECT_TRUE(is_in_base());
  expect_whole();
  link();
  expect_named_for_ever();
}

TEST_F(UnnamedMerge, GetsItsNameAfterTwoSwitches) {
  tree_.merge();
  tree_.merge();
  EXPECT_TRUE(is_in_base());
  expect_whole();
  link();
  expect_named_for_ever();
}

TEST_F(UnnamedMerge, GetsItsNameBetweenTheBaseAndTheSwitch) {
  tree_.merge([&] { link(); });
  EXPECT_TRUE(is_in_base());
  expect_named_for_ever();
}

TEST_F(UnnamedMerge, GetsItsNameBetweenTheSealAndTheBase) {
  tree_.seal();
  link();
  const auto before = facts_of(view(), file_);
  const auto made = tree_.make();
  tree_.put(made);
  EXPECT_EQ(facts_of(view(), file_), before);
  EXPECT_TRUE(is_in_base());
  expect_named_for_ever();
}

TEST_F(UnnamedMerge, GetsItsNameBeforeTheSeal) {
  link();
  tree_.merge();
  EXPECT_FALSE(is_in_base());
  expect_named_for_ever();
}

TEST_F(UnnamedMerge, LosesItsNameAgainBeforeTheSwitch) {
  tree_.merge([&] {
    link();
    value_of(view().unlink(tree_.object("d"), "named"));
  });
  expect_whole();
  expect_not_linkable();
  tree_.merge();
  expect_whole();
  expect_not_linkable();
  expect_ok(view().release(file_));
  EXPECT_EQ(kind_of(view().attributes(file_)), ErrorKind::kNotFound);
  tree_.merge();
  EXPECT_TRUE(tree_.nameless().empty());
}

TEST_F(UnnamedMerge, LosesItsNameAgainBeforeTheBase) {
  tree_.seal();
  link();
  value_of(view().unlink(tree_.object("d"), "named"));
  tree_.put(tree_.make());
  expect_whole();
  expect_not_linkable();
}

TEST_F(UnnamedMerge, EndsBetweenTheSealAndTheBase) {
  tree_.seal();
  link();
  remove_name(view(), "d/named");
  tree_.put(tree_.make());
  EXPECT_TRUE(tree_.nameless().empty());
  EXPECT_EQ(kind_of(view().attributes(file_)), ErrorKind::kNotFound);
  tree_.expect_same_after_reopening();
}

TEST_F(UnnamedMerge, EndsBetweenTheBaseAndTheSwitch) {
  tree_.merge([&] {
    link();
    remove_name(view(), "d/named");
  });
  EXPECT_TRUE(is_in_base());
  EXPECT_EQ(kind_of(view().attributes(file_)), ErrorKind::kNotFound);
  tree_.expect_same_after_reopening();
  EXPECT_EQ(kind_of(view().attributes(file_)), ErrorKind::kNotFound);
  tree_.merge();
  EXPECT_TRUE(tree_.nameless().empty());
}

TEST_F(UnnamedMerge, IsChangedMeanwhileAndNamedLater) {
  tree_.merge([&] {
    write_at(view(), file_, 10, "MEANWHILE");
    expect_ok(view().set_xattr(file_, "user.more", as_bytes("set meanwhile")));
  });
  write_at(view(), file_, 40, "LATER");
  link();
  tree_.expect_same_after_reopening();
  tree_.merge();
  const auto content = content_of(view(), file_);
  EXPECT_EQ(content.substr(10, 9), "MEANWHILE");
  EXPECT_EQ(content.substr(40, 5), "LATER");
  EXPECT_EQ(value_of(view().xattr_names(file_)).size(), 2U);
}

// The next base is made of the first one and of the layer with the attribute.
TEST_F(UnnamedMerge, GetsAnAttributeInALayerThatIsMergedLater) {
  const auto bare = value_of(view().create_unnamed(tree_.object("d"), 0600, {})).object;
  tree_.seal();
  expect_ok(view().set_xattr(bare, "user.more", as_bytes("set in the second layer")));
  tree_.seal();
  tree_.put(value_of(tree_.try_make_of(1)));
  EXPECT_EQ(as_text(value_of(view().xattr(bare, "user.more"))), "set in the second layer");
  value_of(view().link(bare, kRoot, "named"));
  tree_.reopen();
  EXPECT_EQ(as_text(value_of(view().xattr(bare, "user.more"))), "set in the second layer");
  tree_.put(value_of(tree_.try_make_of(1)));
  EXPECT_EQ(as_text(value_of(view().xattr(bare, "user.more"))), "set in the second layer");
  tree_.expect_same_after_reopening();
}

// A merge between openings takes the layers up to the state with a name only.
TEST_F(UnnamedMerge, GetsItsNameAboveTheLayersOfAnOfflineMerge) {
  value_of(view().seal({"state", {}}));
  link();
  tree_.reopen_merged();
  EXPECT_EQ(delta::layers_of(tree_.delta().manifest()), 0U);
  ASSERT_TRUE(tree_.delta().manifest().base);
  expect_whole();
  // The next base is made of this one.
  const std::array<delta::StateId, 1> dropped = {tree_.delta().manifest().base->state};
  expect_ok(view().drop_states(dropped));
  link("again");
  value_of(view().seal({"later", {}}));
  write_at(view(), file_, 0, kContent);
  tree_.reopen_merged();
  expect_whole();
  tree_.expect_same_after_reopening();
}

TEST_F(UnnamedMerge, MadeMeanwhileIsNotInTheBase) {
  ObjectNumber later = 0;
  tree_.merge([&] {
    later = value_of(view().create_unnamed(tree_.object("d"), 0600, {})).object;
    write_at(view(), later, 0, "made meanwhile");
  });
  EXPECT_EQ(std::ranges::count(tree_.nameless(), later), 0);
  EXPECT_EQ(content_of(view(), later), "made meanwhile");
  value_of(view().link(later, kRoot, "later"));
  tree_.merge();
  tree_.expect_same_after_reopening();
  EXPECT_EQ(content_of(view(), tree_.object("later")), "made meanwhile");
}

TEST_F(UnnamedMerge, ACrashEndsItOrKeepsItsName) {
  tree_.merge();
  link();
  expect_ok(view().sync());
  const auto names = facts_below(view());
  tree_.reopen_after_crash(storage::CrashLoss::kDropUnsynced);
  EXPECT_EQ(facts_below(view()), names);
  expect_named_for_ever();
}

}  // namespace
}  // namespace dgfs::test
