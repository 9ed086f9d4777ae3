// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/dropped_states.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/delta/store/directory/based_delta.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

class DroppedStates : public BasedDelta {
 protected:
  void start() {
    seal("first", "one");
    seal("second", "two");
    seal("third", "three");
    put("live");
  }
  [[nodiscard]] StateId state(std::size_t layers) {
    return manifest().stores[layers - 1].layer.state;
  }
  Status drop(const std::vector<StateId>& states) {
    auto locked = lock_manifest(*disk_, "/d", StoreAccess::kReadWrite);
    EXPECT_TRUE(locked) << locked.error().message();
    const auto dropped = drop_states(*disk_, "/d", locked.value(), states);
    EXPECT_TRUE(!dropped || locked.value().manifest == manifest());
    return dropped;
  }
  // So many of the names are there.
  void expect_names(const Names& expected) {
    Names found;
    const auto now = manifest();
    if (now.base && !now.base->name.empty()) found.push_back(now.base->name);
    for (const auto& store : now.stores) {
      if (!store.layer.name.empty()) found.push_back(store.layer.name);
    }
    EXPECT_EQ(found, expected);
  }
};

TEST_F(DroppedStates, LoseTheirNamesAndPinsAndNothingElse) {
  start();
  auto pinned = manifest();
  pinned.stores[1].layer.pins = 2;
  rewrite(pinned);
  const auto files = names();
  ASSERT_TRUE(drop({state(1), state(2)}));
  auto expected = pinned;
  expected.stores[0].layer.name.clear();
  expected.stores[1].layer.name.clear();
  expected.stores[1].layer.pins = 0;
  EXPECT_TRUE(manifest().says_the_same(expected));
  EXPECT_EQ(names(), files);
  const auto delta = open();
  EXPECT_EQ(value_in(*delta->stores()[0]), "first");
  EXPECT_EQ(value_in(delta->newest()), "live");
  EXPECT_EQ(find_state(manifest(), state_text(state(2)), "/d").value(), 2U);
}

// A full stack can be merged or joined then.
TEST_F(DroppedStates, LetAFullStackGoOn) {
  for (std::size_t i = 0; i < kLayersMax; ++i) {
    seal(std::to_string(i), "state-" + std::to_string(i));
  }
  put("live");
  const auto refusal = [&] {
    const auto refused = seal_delta(*disk_, "/d", kBorn, options());
    EXPECT_EQ(refused.error().code(), 7519);
    return refused.error().text();
  };
  EXPECT_TRUE(refusal().starts_with("16 layers, all named or in use; drop one")) << refusal();
  // Of the newest only the name goes.
  ASSERT_TRUE(drop({state(16)}));
  EXPECT_TRUE(refusal().starts_with("16 layers, all named or in use; drop one")) << refusal();
  ASSERT_TRUE(drop({state(5)}));
  EXPECT_TRUE(refusal().starts_with("the delta has 16 layers, ")) << refusal();
}

TEST_F(DroppedStates, TheNewestLosesItsName) {
  start();
  ASSERT_TRUE(drop({state(3)}));
  expect_names({"one", "two"});
  const auto opened = open();
  EXPECT_EQ(layers_of(opened->manifest()), 3U);
  EXPECT_EQ(value_in(*opened->stores()[2]), "third");
}

TEST_F(DroppedStates, TheStateOfTheBaseLosesItsName) {
  start();
  merge(1);
  ASSERT_TRUE(manifest().base);
  expect_names({"one", "two", "three"});
  ASSERT_TRUE(drop({manifest().base->state}));
  expect_names({"two", "three"});
  EXPECT_TRUE(open());
}

TEST_F(DroppedStates, AllOrNone) {
  start();
  StateId unknown{};
  unknown.fill(9);
  const auto before = manifest();
  EXPECT_EQ(drop({state(1), unknown}).error().code(), 7666);
  EXPECT_EQ(drop({StateId{}}).error().code(), 7666);
  EXPECT_TRUE(manifest().says_the_same(before));
  expect_names({"one", "two", "three"});
  merge(2);
  // Merges have absorbed it.
  EXPECT_EQ(drop({before.stores[0].layer.state}).error().code(), 7666);
}

TEST_F(DroppedStates, NothingIsWrittenIfNothingChanges) {
  start();
  ASSERT_TRUE(drop({state(1)}));
  const auto generation = manifest().generation;
  ASSERT_TRUE(drop({state(1)}));
  ASSERT_TRUE(drop({}));
  EXPECT_EQ(manifest().generation, generation);
}

TEST_F(DroppedStates, OfAnOpenDelta) {
  start();
  const std::vector<StateId> states{state(1), state(2)};
  {
    const auto delta = open();
    ASSERT_TRUE(delta->drop_states(states));
    EXPECT_TRUE(delta->manifest().stores[0].layer.name.empty());
    Batch batch;
    batch.put("key", "later");
    ASSERT_TRUE(delta->newest().apply(batch));
    ASSERT_TRUE(delta->newest().sync());
  }
  expect_names({"three"});
  EXPECT_EQ(value_in(open()->newest()), "later");
  EXPECT_EQ(open(StoreAccess::kReadOnly)->drop_states(states).error().code(), 7667);
}

// Each call fails in turn.
TEST_F(DroppedStates, AFailureDropsAllOrNone) {
  for (const auto kind : {ErrorKind::kIo, ErrorKind::kNoSpace}) {
    int refused = 0;
    bool has_failed = true;
    for (std::uint64_t call = 1; has_failed; ++call) {
      SCOPED_TRACE(call);
      disk_ = storage::make_memory_env(1);
      ASSERT_TRUE(DeltaDirectory::create(*disk_, "/d", {}, kBorn, options()));
      start();
      const std::vector<StateId> states{state(1), state(2)};
      std::uint64_t left = call;
      has_failed = false;
      HookEnv env(*disk_, [&](storage::CallKind, const std::string& path) -> Status {
        if (left == 0 || --left != 0) return ok();
        has_failed = true;
        return Error(kind, 1133, "a fault").in_file(path);
      });
      const auto dropped = [&]() -> Status {
        DGFS_TRY(locked, lock_manifest(env, "/d", StoreAccess::kReadWrite));
        return drop_states(env, "/d", locked, states);
      }();
      refused += dropped ? 0 : 1;
      const auto now = manifest();
      EXPECT_EQ(now.stores[0].layer.name.empty(), now.stores[1].layer.name.empty());
      if (dropped) {
        EXPECT_TRUE(now.stores[0].layer.name.empty());
      }
      EXPECT_EQ(now.stores[2].layer.name, "three");
      EXPECT_EQ(value_in(open()->newest()), "live");
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(refused, 5);
  }
}

TEST(ParseStates, TakesWholeIds) {
  const std::string id = "0123456789abcdef0123456789ABCDEF";
  const auto states = parse_states(" " + id + "  " + std::string(32, '0') + " ");
  ASSERT_TRUE(states) << states.error().message();
  ASSERT_EQ(states.value().size(), 2U);
  EXPECT_EQ(state_text(states.value()[0]), "0123456789abcdef0123456789abcdef");
  for (const std::string& wrong : {id + "0", id.substr(1), "x" + id.substr(1), id + "," + id}) {
    EXPECT_EQ(parse_states(wrong).error().code(), 7668) << wrong;
  }
  EXPECT_EQ(parse_states(" ").error().code(), 7669);
}

}  // namespace
}  // namespace dgfs::test
