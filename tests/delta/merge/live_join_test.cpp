// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveJoin: joins of layers in a thread beside a view; how they end, and what is seen of them.
#include "delta/merge/live/live_join.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "delta/store/directory/stacked_stores.h"
#include "delta/store/store_files.h"
#include "tests/delta/merge/live_join_fixture.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using view::kRoot;

using Names = std::vector<std::string>;

TEST_F(LiveJoinTest, JoinsAllThatMayBeJoined) {
  add_layers_to_join(tree_);
  open();
  EXPECT_EQ(join_->status().number, 0U);
  EXPECT_FALSE(join_->cancel());
  const auto before = facts_below(view());
  const auto states = states_of(tree_);
  EXPECT_EQ(states.size(), 4U);
  const auto status = run();
  ASSERT_TRUE(status.outcome) << status.error->message();
  EXPECT_FALSE(status.is_running);
  EXPECT_EQ(status.number, 1U);
  EXPECT_EQ(status.percent, 100U);
  EXPECT_EQ(status.outcome->layers_before, 4U);
  EXPECT_EQ(status.outcome->layers_after, 2U);
  EXPECT_EQ(status.outcome->joins.size(), 2U);
  EXPECT_FALSE(status.outcome->unremoved) << status.outcome->unremoved->message();
  for (const layer::JoinDone& done : status.outcome->joins) {
    EXPECT_EQ(done.layers.size(), 2U);
    EXPECT_GT(done.bytes_after, 0U);
    EXPECT_LE(done.bytes_after, done.bytes_needed);
  }
  EXPECT_EQ(names_of_states(), (Names{"named", ""}));
  EXPECT_EQ(facts_below(view()), before);
  expect_states(states);
  EXPECT_EQ(leftovers(), std::set<std::string>());
  EXPECT_NE(told().find("joining 4 layers"), std::string::npos) << told();
  EXPECT_NE(told().find("joined 4 layers into 2"), std::string::npos) << told();
  tree_.expect_sound();
  reopen();
  EXPECT_EQ(facts_below(view()), before);
  expect_states(states);
  tree_.expect_sound();
}

TEST_F(LiveJoinTest, ASingleLayerIsNotJoined) {
  open();
  EXPECT_EQ(kind_of(join_->join_all()), ErrorKind::kInvalidArgument);
  make_file(view(), "new", "new");
  tree_.seal();
  const auto refused = join_->join_all();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("a single layer"), std::string::npos);
  EXPECT_EQ(join_->status().number, 0U);
  EXPECT_TRUE(slot_.take()) << "a merge may begin";
  slot_.release();
}

TEST_F(LiveJoinTest, OneAtATime) {
  add_layers_to_join(tree_);
  open();
  hold();
  value_of(join_->join_all());
  wait_until_held();
  EXPECT_TRUE(join_->status().is_running);
  EXPECT_EQ(kind_of(join_->join_all()), ErrorKind::kBusy);
  EXPECT_EQ(join_->status().number, 1U);
  // The view is used meanwhile.
  write_at(view(), tree_.object("d/f"), 0, "MEANWHILE");
  make_file(view(), "meanwhile", "made beside the join");
  expect_ok(view().sync());
  set_free();
  join_->wait();
  EXPECT_TRUE(join_->status().outcome);
  EXPECT_EQ(content_of(view(), tree_.object("d/f")), "MEANWHILEurth layer");
  EXPECT_EQ(content_of(view(), tree_.object("meanwhile")), "made beside the join");
  tree_.expect_sound();
  expect_same_after_reopening();
}

TEST_F(LiveJoinTest, ASealGoesOnDuringAJoin) {
  add_layers_to_join(tree_);
  open();
  hold();
  value_of(join_->join_all());
  wait_until_held();
  make_file(view(), "meanwhile", "made beside the join");
  tree_.seal();
  const auto before = facts_below(view());
  const auto states = states_of(tree_);
  EXPECT_EQ(layers(), 5U);
  set_free();
  join_->wait();
  ASSERT_TRUE(join_->status().outcome) << join_->status().error->message();
  EXPECT_EQ(names_of_states(), (Names{"named", "", ""}));
  EXPECT_EQ(facts_below(view()), before);
  expect_states(states);
  EXPECT_EQ(leftovers(), std::set<std::string>());
  expect_same_after_reopening();
}

// The name is given to the newest state that the join takes in, which stays.
TEST_F(LiveJoinTest, AStateGetsItsNameDuringAJoin) {
  add_layers_to_join(tree_);
  tree_.seal();
  open();
  hold();
  value_of(join_->join_all());
  wait_until_held();
  EXPECT_FALSE(value_of(view().seal({"late", {}})).outcome) << "nothing has changed";
  const auto states = states_of(tree_);
  set_free();
  join_->wait();
  ASSERT_TRUE(join_->status().outcome) << join_->status().error->message();
  EXPECT_EQ(names_of_states(), (Names{"named", "late"}));
  expect_states(states);
  reopen();
  EXPECT_EQ(names_of_states(), (Names{"named", "late"}));
}

TEST_F(LiveJoinTest, ACancelledJoinLeavesNothing) {
  add_layers_to_join(tree_);
  open();
  // When the layer is begun, and when it is complete.
  for (const auto kind : {CallKind::kWrite, CallKind::kSync}) {
    const auto before = facts_below(view());
    const auto stores = tree_.delta().present_manifest().stores;
    const auto number = path_of_next();
    hold(kind);
    value_of(join_->join_all());
    wait_until_held();
    EXPECT_TRUE(join_->cancel());
    set_free();
    join_->wait();
    const auto status = join_->status();
    EXPECT_FALSE(status.outcome);
    ASSERT_TRUE(status.error);
    EXPECT_EQ(status.error->kind(), ErrorKind::kInterrupted) << status.error->message();
    EXPECT_NE(status.error->message().find("cancelled"), std::string::npos);
    EXPECT_FALSE(join_->cancel());
    EXPECT_EQ(tree_.delta().present_manifest().stores, stores);
    EXPECT_EQ(leftovers(), std::set<std::string>());
    EXPECT_EQ(facts_below(view()), before);
    EXPECT_NE(path_of_next(), number) << "no number is used twice";
  }
  const auto before = facts_below(view());
  EXPECT_TRUE(run().outcome);
  EXPECT_EQ(layers(), 2U);
  EXPECT_EQ(facts_below(view()), before);
}

TEST_F(LiveJoinTest, TheEndOfTheViewEndsAJoin) {
  add_layers_to_join(tree_);
  const auto before = facts_below(view());
  const auto states = states_of(tree_);
  for (const auto kind : {CallKind::kWrite, CallKind::kSync}) {
    open();
    hold(kind);
    value_of(join_->join_all());
    wait_until_held();
    std::thread ending([this] { join_ = nullptr; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    set_free();
    ending.join();
    EXPECT_EQ(layers(), 4U);
    EXPECT_EQ(leftovers(), std::set<std::string>());
    reopen();
    EXPECT_EQ(facts_below(view()), before);
    EXPECT_EQ(states_of(tree_), states);
    EXPECT_EQ(leftovers(), std::set<std::string>());
  }
}

TEST_F(LiveJoinTest, EndsAtAnyMoment) {
  add_layers_to_join(tree_);
  const auto before = facts_below(view());
  const auto states = states_of(tree_);
  for (int wait_us = 0; wait_us < 30'000; wait_us += 1'500) {
    open();
    static_cast<void>(join_->join_all());
    std::this_thread::sleep_for(std::chrono::microseconds(wait_us));
    join_ = nullptr;
    EXPECT_TRUE(slot_.take());
    slot_.release();
    EXPECT_EQ(facts_below(view()), before);
  }
  reopen();
  EXPECT_EQ(facts_below(view()), before);
  expect_states(states);
  EXPECT_EQ(leftovers(), std::set<std::string>());
}

TEST_F(LiveJoinTest, AMergeWaitsForItsTurnAndAJoinToo) {
  add_layers_to_join(tree_);
  open();
  merge::LiveMergeOptions merges;
  merges.directory = LiveTree::kDelta;
  merges.image_path = merges.own_image_path = kImage;
  merges.memory_bytes = std::size_t{8} << 20;
  merges.slot = &slot_;
  merge::LiveMerge merge(clock_, view(), tree_.delta(), merges);
  hold();
  value_of(join_->join_all());
  wait_until_held();
  const auto refused = merge.start({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kBusy);
  EXPECT_NE(refused.error().message().find("layers are being joined"), std::string::npos);
  EXPECT_FALSE(merge.status().is_running);
  set_free();
  join_->wait();
  EXPECT_TRUE(join_->status().outcome);
  make_file(view(), "more", "more");
  tree_.seal();
  make_file(view(), "and more", "and more");
  tree_.seal();
  is_held_ = is_free_ = false;
  tree_.set_hook([this](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kWrite || path.find("base.") == std::string::npos) return ok();
    is_held_ = true;
    while (!is_free_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ok();
  });
  value_of(merge.start({}));
  wait_until_held();
  const auto busy = join_->join_all();
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().kind(), ErrorKind::kBusy);
  EXPECT_NE(busy.error().message().find("a merge is under way"), std::string::npos);
  EXPECT_FALSE(join_->status().is_running);
  const auto before = facts_below(view());
  set_free();
  while (merge.status().is_running) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(merge.status().outcome) << merge.status().error->message();
  // Whoever sees that it has ended may go on at once.
  EXPECT_NE(kind_of(join_->join_all()), ErrorKind::kBusy);
  join_->wait();
  EXPECT_EQ(facts_below(view()), before);
  tree_.expect_sound();
  expect_same_after_reopening();
  join_ = nullptr;
}

TEST_F(LiveJoinTest, OpenHandlesGoOn) {
  for (int i = 0; i < 20; ++i) make_file(view(), "d/name " + std::to_string(i), "listed");
  add_layers_to_join(tree_);
  const auto gone = value_of(view().unlink(kRoot, "large")).object;
  const auto unnamed = value_of(view().create_unnamed(kRoot, 0600, {})).object;
  write_at(view(), unnamed, 0, "without a name");
  tree_.seal();
  const auto open_file = tree_.object("new");
  const auto gone_text = content_of(view(), gone);
  const auto open_text = content_of(view(), open_file);
  const auto listing = value_of(view().open_listing(tree_.object("d")));
  std::vector<std::string> names;
  view::ListingCookie cookie = 0;
  const auto read_on = [&](std::size_t count_max) {
    std::size_t count = 0;
    expect_ok(listing->read(cookie, false, [&](const view::ListingName& name) {
      if (count == count_max) return false;
      names.emplace_back(name.name);
      cookie = name.cookie;
      ++count;
      return true;
    }));
  };
  read_on(7);
  open();
  hold();
  value_of(join_->join_all());
  wait_until_held();
  read_on(3);
  set_free();
  join_->wait();
  ASSERT_TRUE(join_->status().outcome) << join_->status().error->message();
  EXPECT_FALSE(join_->status().outcome->unremoved);
  EXPECT_EQ(layers(), 2U);
  read_on(1000);
  EXPECT_EQ(names.size(), 23U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(content_of(view(), open_file), open_text);
  EXPECT_EQ(content_of(view(), gone), gone_text);
  EXPECT_EQ(content_of(view(), unnamed), "without a name");
  expect_ok(view().release(gone));
  EXPECT_EQ(kind_of(view().attributes(gone)), ErrorKind::kNotFound);
  value_of(view().link(unnamed, kRoot, "named at last"));
  tree_.expect_sound();
  expect_same_after_reopening();
  EXPECT_EQ(content_of(view(), tree_.object("named at last")), "without a name");
  join_ = nullptr;
}

// As another process that looks at a state does.
TEST_F(LiveJoinTest, AReaderOfAStateKeepsItsFiles) {
  add_layers_to_join(tree_);
  auto past = look_back(tree_, 3);
  const auto shown = facts_below(*past.view);
  open();
  const auto status = run();
  ASSERT_TRUE(status.outcome) << status.error->message();
  ASSERT_TRUE(status.outcome->unremoved);
  EXPECT_EQ(status.outcome->unremoved->kind(), ErrorKind::kBusy);
  EXPECT_EQ(facts_below(*past.view), shown);
  EXPECT_TRUE(tree_.delta().has_unneeded());
  EXPECT_NE(leftovers(), std::set<std::string>());
  past = {};
  EXPECT_TRUE(value_of(view().remove_unneeded()));
  EXPECT_EQ(leftovers(), std::set<std::string>());
}

TEST_F(LiveJoinTest, WhatIsLeftGoesWithTheNextOpening) {
  add_layers_to_join(tree_);
  const auto before = facts_below(view());
  auto past = look_back(tree_, 3);
  open();
  EXPECT_TRUE(run().outcome->unremoved);
  reopen();
  EXPECT_NE(leftovers(), std::set<std::string>()) << "it is still read";
  past = {};
  reopen();
  EXPECT_EQ(leftovers(), std::set<std::string>());
  EXPECT_EQ(facts_below(view()), before);
}

// No lock of the view is held while the manifest is written.
TEST_F(LiveJoinTest, NobodyWaitsWhileALayerIsPutInPlace) {
  add_layers_to_join(tree_);
  open();
  is_held_ = is_free_ = false;
  std::atomic<bool> is_begun = false;
  tree_.set_hook(
      [&, path_of_join = path_of_next()](CallKind kind, const std::string& path) -> Status {
        if (path.starts_with(path_of_join)) is_begun = true;
        if (!is_begun || kind != CallKind::kSync || !path.ends_with("/MANIFEST")) return ok();
        is_held_ = true;
        while (!is_free_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return ok();
      });
  value_of(join_->join_all());
  wait_until_held();
  write_at(view(), tree_.object("d/f"), 0, "MEANWHILE");
  make_file(view(), "meanwhile", "made beside the join");
  expect_ok(view().sync());
  EXPECT_EQ(content_of(view(), tree_.object("d/f")), "MEANWHILEurth layer");
  static_cast<void>(facts_below(view()));
  static_cast<void>(view().space());
  static_cast<void>(join_->status());
  set_free();
  join_->wait();
  ASSERT_TRUE(join_->status().outcome) << join_->status().error->message();
  expect_same_after_reopening();
  join_ = nullptr;
}

// What statfs and info tell.
TEST_F(LiveJoinTest, TheBytesOfLayersAreCountedAnew) {
  add_layers_to_join(tree_);
  open();
  ASSERT_TRUE(run().outcome);
  const auto manifest = tree_.delta().present_manifest();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < delta::layers_of(manifest); ++i) {
    bytes += value_of(delta::bytes_on_disk(
        tree_.memory(), delta::store_path(LiveTree::kDelta, manifest.stores[i])));
  }
  EXPECT_EQ(tree_.delta().sealed_bytes(), bytes);
}

TEST_F(LiveJoinTest, JoinsAndMergesFollowEachOther) {
  add_layers_to_join(tree_);
  open();
  EXPECT_TRUE(run().outcome);
  tree_.merge();
  for (int i = 0; i < 3; ++i) {
    write_at(view(), tree_.object("large"), 40'000, std::to_string(i));
    make_file(view(), "d/" + std::to_string(i), "after the merge");
    tree_.seal();
  }
  const auto before = facts_below(view());
  EXPECT_TRUE(run().outcome);
  EXPECT_EQ(layers(), 1U);
  EXPECT_EQ(facts_below(view()), before);
  remove_name(view(), "d/1");
  tree_.merge([&] { make_file(view(), "d/1", "beside the merge"); });
  join_ = nullptr;
  expect_same_after_reopening();
}

TEST_F(LiveJoinTest, ManyLayersAreJoinedWithoutARequest) {
  constexpr std::size_t kUnnamedMax = 3;
  add_layers_to_join(tree_);
  for (int i = 0; i < 4; ++i) {
    make_file(view(), "d/" + std::to_string(i), std::string(100, 'x'));
    tree_.seal();
  }
  const auto before = facts_below(view());
  const auto states = states_of(tree_);
  options_.unnamed_max = kUnnamedMax;
  open();
  while (layers() > kUnnamedMax + 1 || join_->status().is_running) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(join_->status().number, 1U);
  EXPECT_TRUE(join_->status().outcome) << join_->status().error->message();
  EXPECT_EQ(facts_below(view()), before);
  const auto names = names_of_states();
  EXPECT_EQ(std::count(names.begin(), names.end(), "named"), 1);
  expect_states(states);
  EXPECT_EQ(leftovers(), std::set<std::string>());
  reopen();
  EXPECT_EQ(facts_below(view()), before);
}

TEST_F(LiveJoinTest, ADiskThatIsNearlyFullEndsIt) {
  constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 40;
  add_layers_to_join(tree_);
  make_file(view(), "larger", std::string(300'000, 'l'));
  tree_.seal();
  tree_.memory().set_capacity(kLargeBytes);
  const auto used = kLargeBytes - value_of(value_of(tree_.memory().open(kImage))->free_bytes());
  tree_.memory().set_capacity(used + merge::LiveJoin::kFreeBytesMin / 2);
  open();
  const auto before = facts_below(view());
  const auto status = run();
  ASSERT_TRUE(status.error) << "it did not look";
  EXPECT_EQ(status.error->kind(), ErrorKind::kNoSpace);
  EXPECT_NE(status.error->message().find("MB of the disk are free"), std::string::npos);
  EXPECT_EQ(leftovers(), std::set<std::string>());
  EXPECT_EQ(facts_below(view()), before);
  tree_.memory().set_capacity(kLargeBytes);
  EXPECT_TRUE(run().outcome);
  EXPECT_EQ(facts_below(view()), before);
}

// Otherwise the manifest might name a layer that is gone.
TEST_F(LiveJoinTest, TheLayerStaysIfTheManifestMayNameIt) {
  for (const auto error : {ErrorKind::kIo, ErrorKind::kNoSpace}) {
    for (const auto wanted : {CallKind::kWrite, CallKind::kSync}) {
      for (const int nth : {1, 2}) {
        SCOPED_TRACE(testing::Message() << nth << ", error " << static_cast<int>(error) << ", call "
                                        << static_cast<int>(wanted));
        for (int i = 0; i < 2; ++i) {
          write_at(view(), tree_.object("d/f"), 0, std::to_string(i));
          tree_.seal();
        }
        const auto before = facts_below(view());
        bool is_begun = false;
        int left = nth;
        tree_.set_hook(
            [&, path_of_join = path_of_next()](CallKind kind, const std::string& path) -> Status {
              if (path.starts_with(path_of_join)) is_begun = true;
              if (!is_begun || kind != wanted || !path.ends_with("/MANIFEST")) return ok();
              if (left == 0 || --left != 0) return ok();
              return Error(error, 1133, "a fault").in_file(path);
            });
        open();
        const auto status = run();
        tree_.set_hook({});
        ASSERT_TRUE(status.error);
        EXPECT_EQ(facts_below(view()), before);
        EXPECT_FALSE(view().create(kRoot, "refused", {}, {}));
        reopen();
        EXPECT_EQ(facts_below(view()), before);
        EXPECT_EQ(leftovers(), std::set<std::string>());
        tree_.expect_sound();
      }
    }
  }
}

}  // namespace
}  // namespace dgfs::test
