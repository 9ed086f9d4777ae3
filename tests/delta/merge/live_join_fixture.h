// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A view in memory whose delta has several layers, and joins of these in a thread beside it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "delta/merge/live/live_join.h"
#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "tests/delta/merge/based_tree.h"
#include "tests/delta/merge/live_merge_fixture.h"

namespace dgfs::test {

/// A state that is open beside the view, as another process has it.
struct PastState {
  std::unique_ptr<delta::DeltaDirectory> delta;
  std::unique_ptr<view::View> view;
};

/// Opens the state that the oldest layers of a LiveTree show.
inline PastState look_back(LiveTree& tree, std::size_t layers) {
  PastState past;
  past.delta = value_of(delta::DeltaDirectory::open_state(
      tree.clock(), LiveTree::kDelta,
      [&](const delta::Manifest&) -> Result<std::size_t> { return layers; }, tree.store_options()));
  auto bottom = value_of(open_bottom(tree.clock(), LiveTree::kDelta, past.delta->manifest()));
  past.view =
      value_of(view::View::open(tree.clock(), std::move(bottom), *past.delta, tree.view_options()));
  return past;
}

using FactsByPath = std::map<std::string, std::string>;
using FactsByState = std::map<format::StateId, FactsByPath>;

/// What each state with a layer shows.
inline FactsByState states_of(LiveTree& tree) {
  FactsByState states;
  const auto manifest = tree.delta().present_manifest();
  for (std::size_t i = 0; i < delta::layers_of(manifest); ++i) {
    const auto past = look_back(tree, i + 1);
    states[manifest.stores[i].layer.state] = facts_below(*past.view);
  }
  return states;
}

/// Makes four layers in which names and contents come, change and go, the second with a name.
inline void add_layers_to_join(LiveTree& tree) {
  view::View& view = tree.view();
  write_at(view, tree.object("large"), 100, "first");
  make_file(view, "new", std::string(20'000, 'n'));
  remove_name(view, "gone");
  tree.seal();
  make_file(view, "gone", "again");
  remove_name(view, "gone");
  write_at(view, tree.object("new"), 3, "second");
  tree.clock().step();
  value_of(view.seal({"named", {}}));
  move_name(view, "d/f", "moved");
  expect_ok(view.set_xattr(tree.object("moved"), "user.a", as_bytes("third")));
  tree.seal();
  write_at(view, tree.object("large"), 30'000, std::string(5'000, 'p'));
  make_file(view, "d/f", "of the fourth layer");
  tree.seal();
  write_at(view, tree.object("new"), 0, "in no layer");
}

class LiveJoinTest : public testing::Test {
 protected:
  LiveJoinTest() {
    tree_.tree().directory("d");
    tree_.tree().file("d/f", "of the image");
    tree_.tree().file("gone", "of the image");
    tree_.tree().link("gone", "twin");
    tree_.tree().file("large", pattern(50'000, 1));
    tree_.open();
    options_.directory = LiveTree::kDelta;
    options_.unnamed_max = SIZE_MAX;
    options_.slot = &slot_;
    options_.tell = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      told_ += text + "\n";
    };
  }
  ~LiveJoinTest() override { is_free_ = true; }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] std::size_t layers() { return delta::layers_of(tree_.delta().present_manifest()); }
  merge::LiveJoin& open() {
    join_ = std::make_unique<merge::LiveJoin>(clock_, view(), tree_.delta(), options_);
    expect_ok(join_->start());
    return *join_;
  }
  merge::JoinStatus run() {
    value_of(join_->join_all());
    join_->wait();
    return join_->status();
  }
  void reopen() {
    join_ = nullptr;
    tree_.reopen_after_failure();
  }
  void expect_same_after_reopening() {
    join_ = nullptr;  // it looks for joins that are due
    tree_.expect_same_after_reopening();
  }
  [[nodiscard]] std::string told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  /// The next join stops at its first call of that kind on the layer that it makes, until is_free_
  /// is set.
  void hold(storage::CallKind wanted = storage::CallKind::kWrite) {
    is_held_ = is_free_ = false;
    tree_.set_hook([this, wanted, path_of_join = path_of_next()](
                       storage::CallKind kind, const std::string& path) -> Status {
      if (kind != wanted || !path.starts_with(path_of_join)) return ok();
      is_held_ = true;
      while (!is_free_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return ok();
    });
  }
  void wait_until_held() const {
    while (!is_held_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void set_free() {
    is_free_ = true;
    tree_.set_hook({});
  }
  /// Of the next store or joined layer.
  [[nodiscard]] std::string path_of_next() {
    delta::StackedStore next;
    next.number = tree_.delta().present_manifest().next_number;
    return std::string(LiveTree::kDelta) + "/" + next.name();
  }
  [[nodiscard]] std::set<std::string> leftovers() {
    return leftovers_in(tree_.memory(), LiveTree::kDelta, tree_.delta().present_manifest());
  }
  /// All states that are still listed show what they showed.
  void expect_states(const FactsByState& before) {
    for (const auto& [state, facts] : states_of(tree_)) {
      const auto found = before.find(state);
      ASSERT_NE(found, before.end());
      EXPECT_EQ(facts, found->second);
    }
  }
  [[nodiscard]] std::vector<std::string> names_of_states() {
    std::vector<std::string> names;
    const auto manifest = tree_.delta().present_manifest();
    for (std::size_t i = 0; i < delta::layers_of(manifest); ++i) {
      names.push_back(manifest.stores[i].layer.name);
    }
    return names;
  }

  LiveTree tree_;
  RealClock clock_{tree_.clock()};
  merge::LiveSlot slot_;
  merge::LiveJoinOptions options_;
  std::atomic<bool> is_held_ = false;
  std::atomic<bool> is_free_ = false;
  std::mutex mutex_;
  std::string told_;
  std::unique_ptr<merge::LiveJoin> join_;  ///< ends first
};

}  // namespace dgfs::test
