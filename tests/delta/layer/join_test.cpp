// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Joins of layers in the directory of a delta: facts, refusals, readers, seals meanwhile,
// leftovers.
#include "delta/layer/join.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "delta/store/store_files.h"
#include "tests/delta/layer/joined_delta.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

class JoinTest : public JoinedDelta {
 protected:
  Result<layer::JoinOutcome> join_offline(const layer::JoinOptions& options = {}) {
    return layer::join_offline(*disk_, "/d", options);
  }
};

TEST_F(JoinTest, OneLayerTakesThePlaceOfItsNeighbours) {
  add_four({"", "", "three", ""});
  auto before = manifest();
  before.stores[2].layer.pins = 2;
  rewrite(before);
  before = manifest();
  const auto shown = tree();
  const auto first = tree_of_state(state_text(before.stores[0].layer.state));
  const auto third = tree_of_state("three");
  {
    const auto delta = open();
    const auto joined = join(*disk_, *delta, {1, 3});
    ASSERT_TRUE(joined) << joined.error().message();
    const auto& now = delta->manifest();
    ASSERT_EQ(now.stores.size(), 4U);
    const auto& layer = now.stores[1];
    auto expected = before.stores[2];  // with its state, name, pins, time and ends
    expected.number = before.next_number;
    expected.uuid = layer.uuid;
    expected.born_object = before.stores[1].born_object;
    expected.first_sequence = before.stores[1].first_sequence;
    expected.layer.parent = before.stores[1].layer.parent;
    EXPECT_EQ(layer, expected);
    EXPECT_NE(layer.uuid, before.stores[2].uuid);
    EXPECT_EQ(now.next_number, layer.number + 1);
    EXPECT_EQ(now.stores[0], before.stores[0]);
    EXPECT_EQ(now.stores[2], before.stores[3]);
    EXPECT_EQ(manifest(), now) << "it is in the file";
    EXPECT_EQ(tree_of(delta->stores()), shown);
    EXPECT_TRUE(has("0002") && has("0003")) << "until they are removed";
    std::uint64_t sealed_bytes = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      sealed_bytes += bytes_on_disk(*disk_, "/d/" + now.stores[i].name()).value();
    }
    EXPECT_EQ(delta->sealed_bytes(), sealed_bytes);
    EXPECT_TRUE(delta->remove_unneeded().value());
    const auto superblock = read_store_superblock(*disk_, "/d/" + layer.name());
    ASSERT_TRUE(superblock);
    EXPECT_EQ(superblock.value().sealed,
              (SealedMark{layer.layer.state, before.stores[1].layer.parent}));
  }
  expect_tidy();
  EXPECT_EQ(tree(), shown);
  EXPECT_EQ(tree_of_state("three"), third);
  EXPECT_EQ(tree_of_state(state_text(before.stores[0].layer.state)), first);
  EXPECT_EQ(open_state(state_text(before.stores[1].layer.state)).error().kind(),
            ErrorKind::kNotFound);
}

TEST_F(JoinTest, TheJoinedLayerIsJoinedAndSealedAgain) {
  add_four();
  const auto shown = tree();
  {
    const auto delta = open();
    ASSERT_TRUE(join(*disk_, *delta, {0, 2}));
    ASSERT_TRUE(join(*disk_, *delta, {1, 3}));
    ASSERT_TRUE(join(*disk_, *delta, {0, 2}));
    EXPECT_TRUE(delta->remove_unneeded().value());
    EXPECT_EQ(tree_of(delta->stores()), shown);
  }
  expect_tidy();
  Batch batch;
  batch.put(key_of(7), "later");
  add_layer(batch, "later", 6000);
  EXPECT_EQ(manifest().stores.size(), 3U);
  const auto outcome = join_offline();
  ASSERT_TRUE(outcome) << outcome.error().message();
  auto expected = shown;
  expected[key_of(7)] = "later";
  EXPECT_EQ(tree(), expected);
  EXPECT_EQ(tree_of_state("later"), expected);
}

TEST_F(JoinTest, WhatCannotBeJoinedIsRefusedAndChangesNothing) {
  add_four({"one", "", "", ""});
  const auto before = manifest();
  const auto delta = open();
  for (const LayerRange range : {LayerRange{0, 0}, {0, 1}, {3, 5}, {4, 6}, {2, 1}}) {
    EXPECT_EQ(delta->begin_join(range).error().code(), 7641);
  }
  EXPECT_EQ(delta->begin_join({0, 2}).error().code(), 7642) << "the state \"one\" would be lost";
  EXPECT_TRUE(manifest().says_the_same(before));
  const auto reader = open_state("one");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader.value()->begin_join({0, 1}).error().code(), 7640);
}

TEST_F(JoinTest, NeedsSpaceBeforeItBegins) {
  add_four();
  const auto before = manifest();
  const auto delta = open();
  const auto needed = delta->bytes_to_join({0, 4}).value();
  std::uint64_t taken = 0;
  for (const auto& store : before.stores) {
    taken += bytes_on_disk(*disk_, "/d/" + store.name()).value();
  }
  disk_->set_capacity(taken + needed / 2);
  const auto refused = delta->begin_join({0, 4});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), 7644);
  EXPECT_NE(refused.error().message().find("needs 2 MB, and 0 MB are free"), std::string::npos)
      << refused.error().message();
  EXPECT_TRUE(manifest().says_the_same(before));
}

TEST_F(JoinTest, TheCapCountsForItToo) {
  add_four();
  auto capped = options();
  capped.max_bytes = 6 << 20;
  {
    const auto delta = DeltaDirectory::open(*disk_, "/d", capped).value();
    const auto before = delta->newest().space().max_bytes;
    EXPECT_EQ(before, capped.max_bytes - delta->sealed_bytes());
    const auto plan = delta->begin_join({0, 2});
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_EQ(delta->newest().space().max_bytes, before - plan.value().bytes_needed)
        << "the newest store leaves the space";
    delta->give_up(plan.value());
    EXPECT_EQ(delta->newest().space().max_bytes, before);
    ASSERT_TRUE(join(*disk_, *delta, {0, 4}));
    EXPECT_EQ(delta->newest().space().max_bytes, capped.max_bytes - delta->sealed_bytes());
  }
  Batch batch;
  batch.put(key_of(7), "later");
  add_layer(batch, "", 6000);
  capped.max_bytes = 1 << 20;
  const auto delta = DeltaDirectory::open(*disk_, "/d", capped).value();
  EXPECT_EQ(delta->begin_join({0, 2}).error().code(), 7644);
}

TEST_F(JoinTest, AnErrorLeavesNothing) {
  add_four();
  const auto shown = tree();
  layer::JoinOptions options;
  options.hooks.stop = [] { return true; };
  const auto before = manifest();
  const auto outcome = join_offline(options);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(manifest().stores, before.stores);
  expect_tidy();
  EXPECT_EQ(tree(), shown);
}

TEST_F(JoinTest, ASealMayComeBetween) {
  add_four();
  const auto delta = open();
  const auto plan = delta->begin_join({2, 4});
  ASSERT_TRUE(plan);
  Batch batch;
  batch.put(key_of(7), "meanwhile");
  ASSERT_TRUE(delta->newest().apply(batch));
  const auto sealed = delta->seal({"meanwhile", {}}, 6000);
  ASSERT_TRUE(sealed) << sealed.error().message();
  EXPECT_TRUE(delta->remove_unneeded().value());
  const auto made = layer::make_joined(*disk_, "/d", plan.value(), {});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(delta->remove_unneeded().value()) << "the layer that waits stays";
  const auto shown = tree_of(delta->stores());
  auto prepared = delta->prepare_join(made.value().plan);
  ASSERT_TRUE(prepared) << prepared.error().message();
  ASSERT_TRUE(delta->commit_join(std::move(prepared).value()));
  EXPECT_EQ(tree_of(delta->stores()), shown);
  EXPECT_EQ(delta->manifest().stores.size(), 5U);
  EXPECT_EQ(delta->manifest().stores[3].layer.name, "meanwhile");
}

TEST_F(JoinTest, TheNewestStateMayGetANameMeanwhile) {
  add_four();
  const auto delta = open();
  const auto plan = delta->begin_join({2, 4});
  ASSERT_TRUE(delta->name_newest_state({"late", {}}));
  const auto made = layer::make_joined(*disk_, "/d", plan.value(), {});
  ASSERT_TRUE(made);
  auto prepared = delta->prepare_join(made.value().plan);
  ASSERT_TRUE(prepared);
  ASSERT_TRUE(delta->commit_join(std::move(prepared).value()));
  EXPECT_EQ(delta->manifest().stores[2].layer.name, "late");
}

TEST_F(JoinTest, LayersThatChangedMeanwhileAreNotReplaced) {
  add_four();
  const auto delta = open();
  const auto plan = delta->begin_join({0, 3});
  const auto made = layer::make_joined(*disk_, "/d", plan.value(), {});
  ASSERT_TRUE(made);
  ASSERT_TRUE(join(*disk_, *delta, {2, 4}));
  EXPECT_EQ(delta->prepare_join(made.value().plan).error().code(), 7645);
  delta->give_up(made.value().plan);
  EXPECT_TRUE(delta->remove_unneeded().value());
  expect_tidy();
}

TEST_F(JoinTest, AJoinOverABase) {
  seal("first", "");
  seal("second", "");
  merge(1);
  seal("third", "three", 2000);
  const auto before = manifest();
  const auto delta = open();
  ASSERT_TRUE(join(*disk_, *delta, {0, 2}));
  EXPECT_EQ(delta->manifest().stores[0].layer.parent, before.base->state);
  EXPECT_EQ(delta->manifest().base, before.base);
  EXPECT_EQ(value_in(*delta->stores()[0]), "third");
}

// Readers lock layers. They go on, and the next opening removes what they had.
TEST_F(JoinTest, AReaderKeepsItsLayers) {
  add_four();
  const auto before = manifest();
  const auto second = state_text(before.stores[1].layer.state);
  const auto shown = tree_of_state(second);
  {
    const auto reader = open_state(second);
    ASSERT_TRUE(reader);
    const auto outcome = join_offline();
    ASSERT_TRUE(outcome) << outcome.error().message();
    ASSERT_TRUE(outcome.value().unremoved);
    EXPECT_EQ(outcome.value().unremoved->kind(), ErrorKind::kBusy);
    EXPECT_EQ(tree_of(reader.value()->stores()), shown);
    EXPECT_TRUE(has("0001") && has("0002"));
    EXPECT_FALSE(has("0003") || has("0004")) << "nobody reads them";
  }
  EXPECT_EQ(open()->leftovers(), 2U);
  expect_tidy();
}

// The layers go while a reader opens them: it reads the manifest again.
TEST_F(JoinTest, AReaderMeetsAJoin) {
  add_four();
  const auto newest = state_text(manifest().stores[3].layer.state);
  const auto shown = tree_of_state(newest);
  int joins = 0;
  HookEnv env(*disk_, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (kind != storage::CallKind::kOpen || path != "/d/0002/store" || joins++ != 0) return ok();
    const auto outcome = join_offline();
    EXPECT_TRUE(outcome) << outcome.error().message();
    return ok();
  });
  const auto find = [&](const Manifest& manifest) { return find_state(manifest, newest, "/d"); };
  const auto reader = DeltaDirectory::open_state(env, "/d", find, options());
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(tree_of(reader.value()->stores()), shown);
  EXPECT_EQ(reader.value()->stores().size(), 1U);
  EXPECT_GT(joins, 0);
}

TEST_F(JoinTest, OfflineJoinsAllThatItMay) {
  add_four({"", "two", "", ""});
  const auto shown = tree();
  const auto two = tree_of_state("two");
  const auto before = manifest();
  const auto found = layer::planned_joins(*disk_, "/d", before);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(manifest(), before);
  EXPECT_EQ(found.value().layers_before, 4U);
  EXPECT_EQ(found.value().layers_after, 2U);
  const auto outcome = join_offline();
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome.value().layers_after, 2U);
  EXPECT_FALSE(outcome.value().unremoved);
  ASSERT_EQ(outcome.value().joins.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& done = outcome.value().joins[i];
    EXPECT_EQ(done.layers, found.value().joins[i].layers);
    EXPECT_EQ(done.bytes_before, found.value().joins[i].bytes_before);
    EXPECT_EQ(done.bytes_needed, found.value().joins[i].bytes_needed);
    EXPECT_GT(done.bytes_after, 0U);
    EXPECT_LE(done.bytes_after, done.bytes_needed);
  }
  expect_tidy();
  EXPECT_EQ(tree(), shown);
  EXPECT_EQ(tree_of_state("two"), two);
  const auto nothing = join_offline();
  EXPECT_EQ(nothing.error().code(), 7648);
  EXPECT_NE(nothing.error().message().find("2 layers, all named or in use; drop one"),
            std::string::npos);
}

TEST_F(JoinTest, NothingIsJoinedInADeltaWithoutLayers) {
  EXPECT_EQ(join_offline().error().code(), 7648);
  seal("one", "");
  EXPECT_EQ(join_offline().error().code(), 7648);
}

}  // namespace
}  // namespace dgfs::test
