// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Bases in the directory of a delta: how they take the place of layers, and what goes afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include "delta/store/store_files.h"
#include "storage/file_mode.h"
#include "tests/delta/store/directory/based_delta.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

class DeltaDirectoryBase : public BasedDelta {
 protected:
  DeltaDirectoryBase() {
    seal("first", "one", 2000);
    seal("second", "two", 3000);
    seal("third", "", 4000);
    put("live");
  }
};

TEST_F(DeltaDirectoryBase, TakesThePlaceOfTheOldestLayers) {
  auto before = manifest();
  before.stores[1].layer.pins = 3;
  rewrite(before);
  const auto delta = open();
  const auto made = plan(delta->manifest(), 2);
  EXPECT_EQ(made.base.number, before.next_number);
  const auto committed = commit_base(*delta, made);
  ASSERT_TRUE(committed) << committed.error().message();
  const auto& now = delta->manifest();
  ASSERT_TRUE(now.base);
  auto expected = made.base;
  expected.state = before.stores[1].layer.state;
  expected.end_of_image = kBorn;
  expected.sealed_at = before.stores[1].layer.sealed_at;
  expected.pins = 3;
  expected.name = "two";
  EXPECT_EQ(*now.base, expected);
  EXPECT_EQ(now.bottom(), made.base.uuid);
  EXPECT_EQ(now.image, before.image);
  EXPECT_EQ(now.absorbed, std::vector{before.stores[0].layer.state});
  EXPECT_EQ(now.stores, std::vector(before.stores.begin() + 2, before.stores.end()));
  EXPECT_EQ(now.next_number, made.base.number + 1) << "of stores, too";
  EXPECT_EQ(manifest(), now) << "it is in the file";
  ASSERT_EQ(delta->stores().size(), 2U);
  EXPECT_EQ(value_in(*delta->stores()[0]), "third");
  EXPECT_EQ(value_in(delta->newest()), "live");
  EXPECT_EQ(delta->sealed_bytes(), bytes_on_disk(*disk_, "/d/0003").value());
  EXPECT_TRUE(has("0001") && has("0002"));
}

TEST_F(DeltaDirectoryBase, GoesOnAfterAnotherOpening) {
  merge(3);
  const auto delta = open();
  EXPECT_EQ(delta->leftovers(), 0U);
  ASSERT_EQ(delta->stores().size(), 1U);
  EXPECT_EQ(value_in(delta->newest()), "live");
  EXPECT_EQ(delta->last_seal(), delta->manifest().base->sealed_at);
  ASSERT_TRUE(delta->seal({"three", {}}, 6000));
  EXPECT_EQ(delta->manifest().stores[0].layer.parent, delta->manifest().base->state);
}

TEST_F(DeltaDirectoryBase, AnotherOneTakesItIn) {
  const auto first_state = manifest().stores[0].layer.state;
  const auto second_state = manifest().stores[1].layer.state;
  const auto first = merge(1);
  const auto delta = open();
  auto made = plan(delta->manifest(), 1, {first});
  EXPECT_GT(made.base.number, first);
  made.base.end_of_numbers = 4321;  // less than of the first
  ASSERT_TRUE(commit_base(*delta, made));
  const auto& base = *delta->manifest().base;
  EXPECT_EQ(base.state, second_state);
  EXPECT_EQ(base.end_of_image, kBorn) << "the image is the same";
  EXPECT_EQ(base.end_of_numbers, 5000U) << "numbers stay reserved for ever";
  EXPECT_EQ(base.kept, std::vector{first});
  EXPECT_EQ(delta->manifest().absorbed, std::vector{first_state});
}

TEST_F(DeltaDirectoryBase, OnlyTheLastAbsorbedStatesAreKnown) {
  auto full = manifest();
  for (std::size_t i = 0; i < kAbsorbedMax; ++i) {
    StateId state{};
    state.fill(static_cast<std::uint8_t>(i + 1));
    full.absorbed.push_back(state);
  }
  rewrite(full);
  const auto newest = full.stores[1].layer.state;
  merge(3);
  const auto& absorbed = manifest().absorbed;
  ASSERT_EQ(absorbed.size(), kAbsorbedMax);
  EXPECT_EQ(absorbed.front(), full.absorbed[2]);
  EXPECT_EQ(absorbed.back(), newest);
}

TEST_F(DeltaDirectoryBase, WhatCannotBeIsRefusedAndChangesNothing) {
  const auto before = manifest();
  const auto delta = open();
  const auto refused = [&](const BasePlan& wrong) {
    const auto committed = commit_base(*delta, wrong);
    EXPECT_FALSE(committed);
    EXPECT_TRUE(manifest().says_the_same(before));
    EXPECT_TRUE(delta->manifest().says_the_same(before));
    EXPECT_EQ(delta->stores().size(), 4U);
    return committed ? Error(ErrorKind::kIo, 1, "none") : committed.error();
  };
  const auto good = plan(before, 1);
  auto wrong = good;
  for (const std::size_t layers : {0U, 4U}) {
    wrong.layers = layers;
    EXPECT_EQ(refused(wrong).code(), 7616);
  }
  wrong = good;
  wrong.base.number = 0;
  EXPECT_EQ(refused(wrong).kind(), ErrorKind::kCorrupt);
  wrong = good;
  wrong.base.kept = {good.base.number};
  EXPECT_EQ(refused(wrong).kind(), ErrorKind::kCorrupt);
  wrong = good;
  ++wrong.base.number;
  const auto missing = refused(wrong);
  EXPECT_EQ(missing.kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(missing.code(), 7615);
  EXPECT_TRUE(commit_base(*delta, good)) << "none of them does harm";
}

TEST_F(DeltaDirectoryBase, ItsNameIsTakenAndMayBeGivenLate) {
  merge(2);
  {
    const auto delta = open();
    EXPECT_EQ(delta->check_seal({"two", {}}).error().code(), 7518);
    EXPECT_TRUE(delta->check_seal({"one", {}})) << "that state is gone";
  }
  put("again");
  merge(1);  // of a state without a name
  const auto delta = open();
  ASSERT_EQ(layers_of(delta->manifest()), 0U);
  ASSERT_TRUE(delta->name_newest_state({"late", {}}));
  EXPECT_EQ(manifest().base->name, "late");
  EXPECT_TRUE(delta->name_newest_state({"late", {}}));
  EXPECT_TRUE(delta->name_newest_state({"later", {}})) << "it keeps its name";
  EXPECT_EQ(manifest().base->name, "late");
  EXPECT_EQ(delta->check_seal({"late", {}}).error().code(), 7518);
}

TEST_F(DeltaDirectoryBase, MergedLayersGoWhenNothingNeedsThem) {
  const auto delta = open();
  ASSERT_TRUE(commit_base(*delta, plan(delta->manifest(), 2)));
  EXPECT_EQ(names(), (Names{"0001", "0002", "0003", "0004", "MANIFEST", "base.0005.dgfs",
                            "base.0005.dgfs.idx", "lock"}));
  ASSERT_TRUE(delta->remove_unneeded());
  EXPECT_EQ(names(),
            (Names{"0003", "0004", "MANIFEST", "base.0005.dgfs", "base.0005.dgfs.idx", "lock"}));
}

// The process ended before it could remove them.
TEST_F(DeltaDirectoryBase, TheNextOpeningForWritingRemovesTheRest) {
  const auto first = merge(1);
  {
    const auto delta = open();
    ASSERT_TRUE(commit_base(*delta, plan(delta->manifest(), 1)));
    make_file("base.0007.dgfs");
    make_file("base.0007.dgfs.idx");
    make_file(".base.0007.dgfs.0123456789.new");
  }
  const auto before = names();
  static_cast<void>(open(StoreAccess::kReadOnly));
  EXPECT_EQ(names(), before);
  const auto delta = open();
  EXPECT_EQ(delta->leftovers(), 6U) << "0002, two of the first base, three of one that is none";
  EXPECT_FALSE(has(base_file_name(first)));
  EXPECT_EQ(names(),
            (Names{"0003", "0004", "MANIFEST", "base.0006.dgfs", "base.0006.dgfs.idx", "lock"}));
}

TEST_F(DeltaDirectoryBase, EarlierBasesStayAsLongAsTheyAreKept) {
  const auto first = merge(1);
  const auto second = merge(1, {first});
  EXPECT_TRUE(has(base_file_name(first)));
  EXPECT_FALSE(has(base_file_name(first) + ".idx")) << "only its contents are needed";
  open();
  EXPECT_TRUE(has(base_file_name(first)));
  merge(1, {second});
  EXPECT_FALSE(has(base_file_name(first)));
  EXPECT_TRUE(has(base_file_name(second)));
}

TEST_F(DeltaDirectoryBase, LayersOfAReaderStayUntilItEnds) {
  auto reader = open_state("two");
  ASSERT_TRUE(reader) << reader.error().message();
  merge(2);
  EXPECT_TRUE(has("0001") && has("0002"));
  open();
  EXPECT_TRUE(has("0001") && has("0002"));
  EXPECT_EQ(value_in(reader.value()->newest()), "second");
  reader = open_state("two");
  EXPECT_EQ(reader.error().code(), 7515) << "it is the base now";
  EXPECT_EQ(open()->leftovers(), 2U);
  EXPECT_FALSE(has("0001") || has("0002"));
}

TEST_F(DeltaDirectoryBase, BasesOfAReaderStayUntilItEnds) {
  const auto first = merge(1);
  auto held = hold_present_base(*disk_, "/d");
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_FALSE(held.value().held.empty());
  auto reader = open_state(state_text(manifest().stores[1].layer.state));
  ASSERT_TRUE(reader);
  const auto second = merge(1);
  const auto is_whole = [&](std::uint64_t number) {
    return has(base_file_name(number)) && has(base_file_name(number) + ".idx");
  };
  EXPECT_TRUE(is_whole(first));
  held = hold_present_base(*disk_, "/d");
  EXPECT_EQ(held.value().manifest.base->number, second);
  open();
  EXPECT_TRUE(is_whole(first)) << "the reader of a layer needs what lies below it";
  reader = open_state("base");
  open();
  EXPECT_FALSE(has(base_file_name(first)) || has(base_file_name(first) + ".idx"));
  const auto third = merge(1);
  EXPECT_TRUE(is_whole(second));
  held = hold_present_base(*disk_, "/d");
  EXPECT_EQ(held.value().manifest.base->number, third);
  EXPECT_TRUE(open()->remove_unneeded());
  EXPECT_FALSE(is_whole(second));
}

// As a view keeps the generation before the switch until its last call has ended.
TEST_F(DeltaDirectoryBase, StoresThatAreStillOpenStay) {
  const auto delta = open();
  auto stores = delta->stores();
  ASSERT_TRUE(commit_base(*delta, plan(delta->manifest(), 2)));
  EXPECT_FALSE(delta->remove_unneeded().value());
  EXPECT_EQ(value_in(*stores[0]), "first");
  EXPECT_TRUE(has("0001") && has("0002"));
  stores.clear();
  EXPECT_TRUE(delta->remove_unneeded().value());
  EXPECT_FALSE(has("0001") || has("0002"));
}

TEST_F(DeltaDirectoryBase, FilesOfTheUserStay) {
  const Names users = {"base.txt",
                       "base.1.dgfs",
                       "base.00001.dgfs",
                       "base.0001.dgfs.bak",
                       "base.0001.dgfs.idx.bak",
                       "base.-001.dgfs",
                       "base..dgfs",
                       "base.dgfs",
                       "Base.0001.dgfs",
                       "my-base.0001.dgfs",
                       "notes",
                       ".base.txt.swp",
                       ".base.notes"};
  for (const auto& name : users) make_file(name);
  ASSERT_TRUE(disk_->make_directory("/d/0001.old", 0755));
  make_file("0002/notes");
  const auto first = merge(1);
  merge(1, {first});
  open();
  for (const auto& name : users) EXPECT_TRUE(has(name)) << name;
  EXPECT_TRUE(has("0001.old"));
  EXPECT_FALSE(has("0001"));
  EXPECT_TRUE(has("0002/notes") && has("0002/store")) << "a layer in which the user keeps a file";
}

// Otherwise the delta could not be opened, or a link would go.
TEST_F(DeltaDirectoryBase, WhatIsNoFileStaysAndDisturbsNobody) {
  const auto end = manifest().next_number;
  make_file("target");
  const auto directory = disk_->open_directory("/d").value();
  ASSERT_TRUE(directory->make_directory("base.0001.dgfs", 0755));
  ASSERT_TRUE(directory->make_directory(".base.0001.dgfs.00ff00ff00.new", 0755));
  ASSERT_TRUE(directory->make_symlink("base.0002.dgfs", "target"));
  ASSERT_TRUE(directory->make_symlink("base.0002.dgfs.idx", "nowhere"));
  ASSERT_TRUE(directory->make_node("base.0001.dgfs.idx", storage::kTypeFifo | 0644, 0));
  ASSERT_TRUE(directory->make_node(".base.0001.dgfs.lock", storage::kTypeSocket | 0644, 0));
  StackedStore next;
  next.number = end;
  make_file(next.name());
  const auto users = names();
  EXPECT_TRUE(open());
  EXPECT_EQ(names(), users);
  merge(1);
  EXPECT_TRUE(open());
  const auto now = names();  // has() would follow the links
  for (const auto& name : users) {
    EXPECT_TRUE(std::ranges::count(now, name) == 1 || name == "0001") << name;
  }
}

TEST_F(DeltaDirectoryBase, AMissingOneIsToldByName) {
  const auto number = merge(1);
  const auto name = base_file_name(number);
  ASSERT_TRUE(disk_->rename("/d/" + name, "/away"));
  const auto text = "/d: " + name + " is missing; restore it from a backup";
  for (const auto access : {StoreAccess::kReadWrite, StoreAccess::kReadOnly}) {
    const auto opened = DeltaDirectory::open(*disk_, "/d", options(access));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(opened.error().message(), text);
  }
  EXPECT_EQ(open_state("two").error().message(), text);
  EXPECT_EQ(hold_present_base(*disk_, "/d").error().message(), text);
  ASSERT_TRUE(disk_->rename("/away", "/d/" + name));
  ASSERT_TRUE(disk_->remove("/d/" + name + ".idx"));
  EXPECT_TRUE(open_state("two")) << "the base has a copy of its index";
}

// Only the contents in it are lost.
TEST_F(DeltaDirectoryBase, WithoutAnEarlierOneTheDeltaOpens) {
  const auto first = merge(1);
  merge(1, {first});
  ASSERT_TRUE(disk_->remove("/d/" + base_file_name(first)));
  EXPECT_EQ(value_in(open()->newest()), "live");
}

// Whoever removes a base changes the manifest first.
TEST_F(DeltaDirectoryBase, AReaderThatMeetsARemovedOneReadsTheManifestAgain) {
  const auto first = merge(1);
  std::uint64_t second = 0;
  HookEnv env(*disk_, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (second != 0 || kind != storage::CallKind::kOpen || path != "/d/" + base_file_name(first)) {
      return ok();
    }
    second = 1;  // once
    second = merge(1);
    return ok();
  });
  const auto held = hold_present_base(env, "/d");
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_EQ(held.value().manifest.base->number, second);
  EXPECT_FALSE(has(base_file_name(first)));
}

TEST_F(DeltaDirectoryBase, ALayersReaderGoesOnOverTheNewOne) {
  const auto first = merge(1);
  const auto state = state_text(manifest().stores[1].layer.state);
  std::uint64_t second = 0;
  HookEnv env(*disk_, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (second != 0 || kind != storage::CallKind::kOpen || path != "/d/" + base_file_name(first)) {
      return ok();
    }
    second = 1;
    second = merge(1);
    return ok();
  });
  const auto find = [&](const Manifest& now) { return find_state(now, state, "/d"); };
  const auto reader = DeltaDirectory::open_state(env, "/d", find, options());
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(reader.value()->manifest().base->number, second);
  EXPECT_EQ(reader.value()->stores().size(), 1U);
  EXPECT_EQ(value_in(reader.value()->newest()), "third");
}

}  // namespace
}  // namespace dgfs::test
