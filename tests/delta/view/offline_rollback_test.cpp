// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/offline_rollback.h"

#include <gtest/gtest.h>

#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/view/rolled_back_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;

const RootFiles kImageFiles = {{"f", "of the image"}};

class OfflineRollback : public testing::Test {
 protected:
  // The state "one" has "a"; "two" has "b", too, and not "f"; then comes "c".
  void start() {
    tree_.change("a", "first");
    tree_.seal("one");
    tree_.with_view([&](view::View& view) {
      EXPECT_TRUE(tree_.write(view, "b", std::string(3000, 'b')));
      value_of(view.unlink(kRoot, "f"));
    });
    tree_.seal("two");
    tree_.change("c", "third");
  }
  static RootFiles with(RootFiles files, const std::string& name, const std::string& content) {
    files[name] = content;
    return files;
  }
  [[nodiscard]] std::uint64_t born() { return tree_.manifest().stores.back().born_object; }

  const RootFiles one_ = with(kImageFiles, "a", "first");
  RolledBackTree tree_;
};

TEST_F(OfflineRollback, ShowsTheStateAgain) {
  start();
  EXPECT_EQ(tree_.files().count("c"), 1U);
  const auto prepared = tree_.roll_back("one");
  ASSERT_EQ(prepared.lost.size(), 2U);
  EXPECT_EQ(prepared.lost[1].store.layer.name, "two");
  EXPECT_EQ(prepared.lost[0].changes, 2U + 1);  // "c", its content, and its numbers
  EXPECT_GT(prepared.lost_bytes(), 1000U);
  EXPECT_FALSE(prepared.lost[0].unreadable);
  EXPECT_EQ(tree_.files(), one_);
  EXPECT_EQ(tree_.files_of_state(1), one_);
  tree_.change("d", "later");
  tree_.seal("two");
  EXPECT_EQ(tree_.files(), with(one_, "d", "later"));
  EXPECT_EQ(tree_.files_of_state(1), one_);
  tree_.roll_back("base");
  EXPECT_EQ(tree_.files(), kImageFiles);
}

TEST_F(OfflineRollback, NewestIsTheUppermostState) {
  start();
  const auto two = tree_.files_of_state(2);
  EXPECT_EQ(tree_.roll_back("newest").lost.size(), 1U);
  EXPECT_EQ(tree_.files(), two);
}

// The image alone, if there is no state.
TEST_F(OfflineRollback, WithoutStatesNewestIsTheBase) {
  tree_.change("a", "first");
  tree_.roll_back("newest");
  EXPECT_EQ(tree_.files(), kImageFiles);
}

TEST_F(OfflineRollback, NothingHasToBeDoneForAStateThatIsTheNewest) {
  start();
  tree_.seal("three");
  const auto before = tree_.manifest();
  EXPECT_TRUE(value_of(tree_.prepare("three")).is_needless());
  EXPECT_FALSE(
      value_of(tree_.prepare("two", tree_.kDelta, delta::StoreAccess::kReadOnly)).is_needless());
  EXPECT_TRUE(tree_.manifest().says_the_same(before));
}

TEST_F(OfflineRollback, NoNumberOfAnObjectComesAgain) {
  start();
  std::vector<view::ObjectNumber> gone;
  tree_.with_view([&](view::View& view) {
    for (const char* name : {"b", "c"}) gone.push_back(value_of(view.lookup(kRoot, name)).object);
  });
  for (int round = 0; round < 4; ++round) {
    tree_.roll_back("one");
    // change() expects new numbers. These are more than are reserved at once.
    tree_.with_view([&](view::View& view) {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(tree_.write(view, std::to_string(i), "x"));
    });
    if (round % 2 == 1) tree_.seal("");
    // A file handle of an object that is gone.
    tree_.with_view([&](view::View& view) {
      for (const auto object : gone) {
        EXPECT_EQ(view.attributes(object).error().kind(), ErrorKind::kNotFound);
      }
    });
  }
}

TEST_F(OfflineRollback, NumbersGoOnExactlyIfAllCanBeRead) {
  start();
  const auto known = delta::known_ends(tree_.manifest());
  const auto plan = value_of(tree_.prepare("one")).plan;
  EXPECT_GT(plan.objects, known.objects);  // "c" has a number, and more are reserved
  EXPECT_LT(plan.objects, known.objects + 1000);
  EXPECT_EQ(plan.sequence, known.sequences + 3);
  tree_.roll_back("one");
  EXPECT_EQ(born(), plan.objects);
  // Once more, with a store that has reserved nothing yet.
  const auto again = value_of(tree_.prepare("one")).plan;
  EXPECT_EQ(again.objects, plan.objects);
  EXPECT_EQ(again.sequence, plan.sequence);
}

TEST_F(OfflineRollback, ADamagedLayerAboveTheStateIsNoObstacle) {
  start();
  tree_.overwrite(tree_.store_of(1) + "/store", 8192);
  // The newest store tells which numbers were reserved: the layer does not matter.
  const auto known = delta::known_ends(tree_.manifest());
  const auto plan = value_of(tree_.prepare("one")).plan;
  EXPECT_LT(plan.objects, known.objects + 1000);
  const auto prepared = tree_.roll_back("one");
  EXPECT_FALSE(prepared.lost[0].unreadable);
  EXPECT_EQ(tree_.files(), one_);
}

// The newest store has reserved nothing, so nobody else knows what the layer has reserved.
TEST_F(OfflineRollback, ADamagedLayerBelowAnEmptyStoreMayHaveReservedMore) {
  start();
  tree_.seal("three");
  tree_.overwrite(tree_.store_of(2) + "/store", 8192);
  const auto known = delta::known_ends(tree_.manifest());
  const auto prepared = tree_.roll_back("one");
  EXPECT_FALSE(prepared.lost[0].unreadable);
  ASSERT_TRUE(prepared.lost[1].unreadable);
  EXPECT_EQ(prepared.lost[1].changes, 3U);
  EXPECT_GE(prepared.plan.objects, known.objects + view::kUnknownNumbers);
  EXPECT_EQ(prepared.plan.sequence, known.sequences);
  EXPECT_EQ(tree_.files(), one_);
  tree_.change("d", "later");
}

TEST_F(OfflineRollback, ADamagedStateIsNoneToReturnTo) {
  start();
  const auto before = tree_.manifest();
  tree_.overwrite(tree_.store_of(1) + "/store", 8192);
  const auto refused = tree_.prepare("two");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
  EXPECT_NE(refused.error().message().find("/delta/0002"), std::string::npos);
  EXPECT_TRUE(tree_.manifest().says_the_same(before));
  tree_.roll_back("one");
  EXPECT_EQ(tree_.files(), one_);
}

TEST_F(OfflineRollback, ADeltaInUseIsLeftAlone) {
  start();
  const auto before = tree_.manifest();
  tree_.with_view([&](view::View&) {
    EXPECT_EQ(tree_.prepare("one").error().code(), 7150);
    EXPECT_EQ(tree_.prepare("one", tree_.kDelta, delta::StoreAccess::kReadOnly).error().code(),
              7150);
  });
  EXPECT_TRUE(tree_.manifest().says_the_same(before));
  // While one is prepared, nobody opens the delta.
  const auto prepared = value_of(tree_.prepare("one"));
  EXPECT_EQ(
      delta::DeltaDirectory::open(tree_.memory(), tree_.kDelta, tree_.options()).error().kind(),
      ErrorKind::kBusy);
}

TEST_F(OfflineRollback, UnknownStatesAreRefused) {
  start();
  EXPECT_EQ(tree_.prepare("four").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(tree_.prepare("one", "/nothing").error().kind(), ErrorKind::kNotFound);
}

TEST_F(OfflineRollback, NumbersEndSomewhere) {
  start();
  auto manifest = tree_.manifest();
  manifest.stores.back().born_object = UINT64_MAX - view::kUnknownNumbers;
  ++manifest.generation;
  {
    const auto file =
        value_of(tree_.memory().open("/delta/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}));
    expect_ok(delta::write_both_slots(*file, manifest));
  }
  // The store is not the one of the manifest any more.
  EXPECT_EQ(tree_.prepare("one").error().code(), 7665);
}

// A backup: seal, copy the delta while it is in use, roll the copy back to the seal.
TEST_F(OfflineRollback, MakesACopyOfAnOpenDeltaSound) {
  start();
  const auto two = tree_.files_of_state(2);
  tree_.with_view([&](view::View& view) {
    EXPECT_TRUE(tree_.write(view, "d", "while it is copied"));
    expect_ok(view.sync());
    tree_.copy_to("/copy");
    EXPECT_TRUE(tree_.write(view, "e", "after that"));
  });
  const auto torn = delta::DeltaDirectory::open(tree_.memory(), "/copy", tree_.options());
  ASSERT_FALSE(torn);
  EXPECT_EQ(torn.error().kind(), ErrorKind::kChanged);
  const auto prepared = tree_.roll_back("newest", "/copy");
  ASSERT_TRUE(prepared.lost[0].unreadable);
  EXPECT_FALSE(prepared.lost[0].changes);
  EXPECT_EQ(tree_.files("/copy"), two);
  EXPECT_EQ(tree_.files().count("e"), 1U);
}

// Neither needs a mount before it can be copied.
TEST_F(OfflineRollback, ClosesTheDelta) {
  start();
  tree_.copy_to("/copy");
  EXPECT_EQ(tree_.files("/copy"), tree_.files());
  tree_.seal("three");
  tree_.copy_to("/sealed");
  EXPECT_EQ(tree_.files("/sealed"), tree_.files());
  tree_.roll_back("one");
  tree_.copy_to("/back");
  EXPECT_EQ(tree_.files("/back"), one_);
}

// A command that was killed at any storage call is given once more.
TEST(KilledRollback, IsMadeByTheNextOne) {
  const RootFiles one = {{"f", "of the image"}, {"a", "first"}};
  int made_before = 0;
  bool has_stopped = true;
  for (std::uint64_t call = 1; has_stopped; ++call) {
    SCOPED_TRACE(call);
    RolledBackTree tree;
    tree.change("a", "first");
    tree.seal("one");
    tree.change("b", "second");
    tree.seal("two");
    tree.change("c", "third");
    {
      StoppingEnv env(tree.memory(), call);
      auto killed =
          view::prepare_rollback(env.env(), tree.kDelta, "one", delta::StoreAccess::kReadWrite);
      if (killed) static_cast<void>(view::make_rollback(env.env(), tree.kDelta, killed.value()));
      has_stopped = env.has_stopped();
    }
    {
      auto prepared = value_of(tree.prepare("one"));
      made_before += prepared.is_needless() ? 1 : 0;
      if (prepared.is_needless()) {
        expect_ok(view::close_unchanged(tree.memory(), tree.kDelta, prepared));
      } else {
        value_of(view::make_rollback(tree.memory(), tree.kDelta, prepared));
      }
    }
    EXPECT_EQ(tree.names_in(tree.kDelta).size(), 4U);  // two stores, MANIFEST and lock
    tree.copy_to("/copy");
    EXPECT_EQ(tree.files("/copy"), one);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(made_before, 10);
}

// What is wrong with the newest store. A value.
struct Damage {
  const char* name;
  const char* file;  ///< of the store; "": its directory
  bool is_missing;   ///< and not overwritten
};

class UnreadableNewest : public testing::TestWithParam<Damage> {};

TEST_P(UnreadableNewest, IsNoObstacle) {
  RolledBackTree tree;
  tree.change("a", "first");
  tree.seal("one");
  tree.with_view([&](view::View& view) {
    for (int i = 0; i < 100; ++i) tree.write(view, std::to_string(i), std::string(500, 'x'));
  });
  const auto newest = tree.store_of(1);
  const auto path = *GetParam().file == 0 ? newest : newest + "/" + GetParam().file;
  if (!GetParam().is_missing) {
    tree.overwrite(path, value_of(tree.memory().status(path)).size_bytes);
  } else {
    expect_ok(tree.memory().rename(path, "/aside"));
  }
  ASSERT_FALSE(delta::DeltaDirectory::open(tree.memory(), tree.kDelta, tree.options()));
  const auto known = delta::known_ends(tree.manifest());
  const auto prepared = tree.roll_back("one");
  ASSERT_TRUE(prepared.lost[0].unreadable);
  EXPECT_GE(prepared.plan.objects, known.objects + view::kUnknownNumbers);
  // The superblock alone tells the last batch.
  EXPECT_EQ(prepared.lost[0].changes.has_value(), prepared.plan.sequence < view::kUnknownNumbers);
  EXPECT_GT(prepared.plan.sequence, known.sequences + 200);
  const RootFiles one = {{"f", "of the image"}, {"a", "first"}};
  EXPECT_EQ(tree.files(), one);
  tree.change("b", "later");
  tree.seal("two");
  EXPECT_EQ(tree.files().size(), 3U);
  EXPECT_FALSE(value_of(tree.prepare("two")).lost[0].unreadable);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, UnreadableNewest,
    testing::Values(Damage{"NoSuperblocks", "store", true}, Damage{"Superblocks", "store", false},
                    Damage{"NoBlocks", "blocks", true}, Damage{"Blocks", "blocks", false},
                    Damage{"NoValues", "extents", true}, Damage{"NoLog", "log.0", true},
                    Damage{"NoDirectory", "", true}),
    [](const auto& damage) { return damage.param.name; });

}  // namespace
}  // namespace dgfs::test
