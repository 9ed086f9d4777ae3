// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Object numbers after merges into a base: none is given out twice, and new objects are above all
// that the base may have.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/delta/merge/live_tree.h"

namespace dgfs::test {
namespace {

using view::ObjectNumber;

class BaseNumbers : public testing::Test {
 protected:
  BaseNumbers() {
    tree_.tree().directory("d");
    for (const char* name : {"d/f", "z"}) tree_.tree().file(name, name);
    tree_.open();
    for (const char* name : {"d", "d/f", "z"}) given_.insert(tree_.object(name));
  }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  /// Makes a file and removes it, so that no record tells of its number.
  void give() {
    const auto made = make_file(view(), "passing", "x");
    EXPECT_TRUE(given_.insert(made).second) << made << " was given out before";
    EXPECT_GE(made, view().image()->superblock().next_inode);
    remove_name(view(), "passing");
  }
  void expect_base_below_live_store() {
    const auto born = tree_.delta().newest().parameters().born_object;
    EXPECT_LE(view().image()->superblock().next_inode, born);
    EXPECT_GT(view().image()->superblock().next_inode, highest_);
  }
  /// Notes what the base must be above.
  void keep(const std::string& name) {
    highest_ = make_file(view(), name, "stays");
    EXPECT_TRUE(given_.insert(highest_).second);
  }

  LiveTree tree_;
  std::set<ObjectNumber> given_;
  ObjectNumber highest_ = 0;
};

TEST_F(BaseNumbers, OfTheBaseAreBelowThoseOfTheLiveStore) {
  keep("one");
  tree_.merge([&] { give(); });
  expect_base_below_live_store();
  give();
  for (int merge = 0; merge < 3; ++merge) {
    for (int i = 0; i < 100; ++i) keep("n" + std::to_string(merge) + "." + std::to_string(i));
    tree_.merge();
    expect_base_below_live_store();
    give();
  }
}

TEST_F(BaseNumbers, AreNotGivenOutAgainAfterReopening) {
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 70; ++j) give();
    tree_.merge([&] { give(); });
    tree_.reopen();
    expect_base_below_live_store();
    give();
  }
}

// The live store then tells of no number.
TEST_F(BaseNumbers, AreNotGivenOutAgainIfNoneWasReservedSince) {
  for (int j = 0; j < 200; ++j) give();
  tree_.merge();
  for (int i = 0; i < 5; ++i) {
    tree_.reopen();
    expect_base_below_live_store();
    tree_.merge();
    tree_.reopen();
  }
  give();
}

TEST_F(BaseNumbers, AreNotGivenOutAgainAfterACrash) {
  for (const auto loss : {storage::CrashLoss::kDropUnsynced, storage::CrashLoss::kKeepAll,
                          storage::CrashLoss::kRandomSubset}) {
    for (int j = 0; j < 70; ++j) give();
    expect_ok(view().sync());
    tree_.merge();
    tree_.reopen_after_crash(loss);
    expect_base_below_live_store();
    give();
    tree_.merge();
    give();
    expect_ok(view().sync());
    tree_.reopen_after_crash(loss);
    give();
  }
}

// What was reserved for them lies in a layer that is gone.
TEST_F(BaseNumbers, OfObjectsMadeSinceAreBelowTheNextStore) {
  tree_.merge();
  for (int i = 0; i < 40; ++i) keep("n" + std::to_string(i));
  const auto before = facts_below(view());
  tree_.expect_sound();
  tree_.reopen_sealed();
  EXPECT_EQ(facts_below(view()), before);
  EXPECT_GT(tree_.delta().newest().parameters().born_object, highest_);
  give();
  tree_.expect_sound();
  tree_.merge();
  give();
  tree_.expect_same_after_reopening();
}

// The highest number of the image had an object that a layer has removed.
TEST_F(BaseNumbers, OfTheImageStayUsed) {
  const auto next = view().image()->superblock().next_inode;
  remove_name(view(), "z");
  remove_name(view(), "d/f");
  tree_.merge();
  EXPECT_GE(view().image()->superblock().next_inode, next);
  tree_.reopen();
  give();
}

TEST_F(BaseNumbers, OfADirectoryGoOnOverTheSwitch) {
  value_of(view().make_directory(view::kRoot, "many", 0755, {}));
  for (int i = 0; i < 30; ++i) keep("many/" + std::to_string(i));
  tree_.merge([&] {
    for (int i = 30; i < 60; ++i) keep("many/" + std::to_string(i));
  });
  for (int i = 60; i < 90; ++i) keep("many/" + std::to_string(i));
  tree_.expect_same_after_reopening();
  tree_.merge();
  expect_base_below_live_store();
  tree_.expect_same_after_reopening();
}

}  // namespace
}  // namespace dgfs::test
