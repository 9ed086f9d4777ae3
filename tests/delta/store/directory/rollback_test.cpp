// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/rollback.h"

#include <gtest/gtest.h>

#include <utility>

#include "delta/store/directory/stacked_stores.h"
#include "delta/store/store_check.h"
#include "delta/store/store_files.h"
#include "tests/delta/store/directory/based_delta.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kObjects = 9000;
constexpr std::uint64_t kSequence = 500;

class RollbackTest : public BasedDelta {
 protected:
  // Three states, with a value each, and a change above them.
  void start() {
    seal("first", "one", 2000);
    seal("second", "two", 3000);
    seal("third", "three", 4000);
    put("live");
  }
  static RollbackPlan plan_to(std::size_t layers) {
    RollbackPlan plan;
    plan.layers = layers;
    plan.objects = kObjects;
    plan.sequence = kSequence;
    plan.parameters = options().parameters;
    return plan;
  }
  Result<RollbackOutcome> roll_back(const RollbackPlan& plan) {
    auto locked = lock_manifest(*disk_, "/d", StoreAccess::kReadWrite);
    EXPECT_TRUE(locked) << locked.error().message();
    return delta::roll_back(*disk_, "/d", locked.value(), plan);
  }
  void expect_value(const std::string& value) {
    const auto delta = open();
    ASSERT_NE(delta, nullptr);
    const auto stores = delta->stores();
    std::string found = "none";
    for (const auto& store : stores) {
      if (const auto own = value_in(*store); own != "none") found = own;
    }
    EXPECT_EQ(found, value);
  }
};

TEST_F(RollbackTest, AnEmptyStoreLiesOverTheState) {
  start();
  const auto before = manifest();
  const auto outcome = roll_back(plan_to(2));
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_FALSE(outcome.value().unremoved);
  EXPECT_FALSE(outcome.value().unclosed);
  const auto now = manifest();
  EXPECT_EQ(now, outcome.value().manifest);
  ASSERT_EQ(now.stores.size(), 3U);
  EXPECT_EQ(now.stores[0], before.stores[0]);
  EXPECT_EQ(now.stores[1], before.stores[1]);
  const StackedStore& fresh = now.stores[2];
  EXPECT_EQ(fresh.number, before.next_number);
  EXPECT_EQ(now.next_number, before.next_number + 1);
  EXPECT_EQ(fresh.born_object, kObjects);
  EXPECT_EQ(fresh.first_sequence, kSequence);
  EXPECT_EQ(fresh.layer.parent, before.stores[1].layer.state);
  EXPECT_EQ(names(), (Names{"0001", "0002", "0005", "MANIFEST", "lock"}));
  expect_value("second");
  EXPECT_EQ(find_state(now, "three", "/d").error().kind(), ErrorKind::kNotFound);
  put("later");
  expect_value("later");
  seal("last", "three", 10'000);
  expect_value("last");
  EXPECT_EQ(manifest().stores[2].layer.last_sequence, kSequence + 1);
  for (const auto& store : manifest().stores) {
    EXPECT_TRUE(check_store(*disk_, store_path("/d", store)));
  }
}

TEST_F(RollbackTest, ToTheImageAlone) {
  start();
  ASSERT_TRUE(roll_back(plan_to(0)));
  const auto now = manifest();
  ASSERT_EQ(now.stores.size(), 1U);
  EXPECT_TRUE(is_base(now.stores[0].layer.parent));
  EXPECT_EQ(names(), (Names{"0005", "MANIFEST", "lock"}));
  expect_value("none");
  seal("again", "one", kObjects);
  expect_value("again");
}

TEST_F(RollbackTest, ToTheNewestStateOnlyTheNewestStoreGoes) {
  start();
  ASSERT_TRUE(roll_back(plan_to(3)));
  EXPECT_EQ(names(), (Names{"0001", "0002", "0003", "0005", "MANIFEST", "lock"}));
  expect_value("third");
}

TEST_F(RollbackTest, ABaseStays) {
  start();
  const auto number = merge(1);
  const auto base = manifest().base;
  ASSERT_TRUE(roll_back(plan_to(0)));
  const auto now = manifest();
  ASSERT_EQ(now.stores.size(), 1U);
  EXPECT_EQ(now.base, base);
  EXPECT_EQ(now.stores[0].layer.parent, base->state);
  EXPECT_TRUE(has(base_file_name(number)));
  expect_value("none");  // no file that stands for a base has one
  EXPECT_EQ(find_state(now, "one", "/d").value(), 0U);
}

TEST_F(RollbackTest, AStackWithoutStatesGetsThem) {
  put("live");
  ASSERT_EQ(manifest().version, kFirstManifestVersion);
  ASSERT_TRUE(roll_back(plan_to(0)));
  EXPECT_EQ(manifest().version, kStatesManifestVersion);
  EXPECT_EQ(names(), (Names{"0002", "MANIFEST", "lock"}));
  expect_value("none");
}

// Whatever is left of the stores that go.
TEST_F(RollbackTest, DamagedStoresAreNotRead) {
  start();
  ASSERT_TRUE(disk_->remove("/d/0003/store"));
  const auto blocks = disk_->open("/d/0004/blocks", {storage::OpenOptions::Mode::kReadWrite});
  ASSERT_TRUE(blocks.value()->write_at(0, Buffer(4096, 7)));
  ASSERT_TRUE(disk_->remove("/d/0004/log.0"));
  ASSERT_FALSE(DeltaDirectory::open(*disk_, "/d", options()));
  ASSERT_TRUE(roll_back(plan_to(1)));
  EXPECT_EQ(names(), (Names{"0001", "0005", "MANIFEST", "lock"}));
  expect_value("first");
}

TEST_F(RollbackTest, AReaderKeepsItsLayersUntilALaterOpening) {
  start();
  {
    const auto reader = open_state("three");
    ASSERT_TRUE(reader) << reader.error().message();
    const auto outcome = roll_back(plan_to(1));
    ASSERT_TRUE(outcome) << outcome.error().message();
    ASSERT_TRUE(outcome.value().unremoved);
    EXPECT_EQ(outcome.value().unremoved->code(), 7663);
    EXPECT_EQ(value_in(reader.value()->newest()), "third");
    EXPECT_TRUE(has("0003"));
    EXPECT_EQ(open()->leftovers(), 0U);
    EXPECT_EQ(value_in(reader.value()->newest()), "third");
    EXPECT_EQ(open_state("three").error().kind(), ErrorKind::kNotFound);
  }
  EXPECT_EQ(open()->leftovers(), 2U);
  EXPECT_EQ(names(), (Names{"0001", "0005", "MANIFEST", "lock"}));
}

TEST_F(RollbackTest, FilesOfTheUserStay) {
  start();
  make_file("0003/notes");
  const auto outcome = roll_back(plan_to(1));
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome.value().unremoved);
  EXPECT_TRUE(has("0003/notes"));
  EXPECT_FALSE(has("0004"));
  expect_value("first");
}

// As on a damaged disk. The delta can be used nevertheless, and other stores go.
TEST_F(RollbackTest, WhatCannotBeRemovedStays) {
  start();
  ASSERT_TRUE(disk_->remove("/d/0002/store"));
  ASSERT_TRUE(disk_->make_directory("/d/0002/store", 0700));
  const auto outcome = roll_back(plan_to(1));
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome.value().unremoved);
  EXPECT_NE(outcome.value().unremoved->message().find("0002"), std::string::npos);
  EXPECT_EQ(names(), (Names{"0001", "0002", "0005", "MANIFEST", "lock"}));
  expect_value("first");
  // Of a seal that was cut off.
  ASSERT_TRUE(disk_->make_directory("/d/0007", 0700));
  ASSERT_TRUE(disk_->make_directory("/d/0007/store", 0700));
  expect_value("first");
}

TEST_F(RollbackTest, WrongPlansChangeNothing) {
  start();
  const auto before = names();
  const auto old = manifest();
  EXPECT_EQ(roll_back(plan_to(4)).error().code(), 7660);
  auto plan = plan_to(1);
  plan.objects = 3999;
  EXPECT_EQ(roll_back(plan).error().code(), 7661);
  plan = plan_to(1);
  plan.sequence = 3;
  EXPECT_EQ(roll_back(plan).error().code(), 7661);
  auto full = old;
  full.next_number = kDirectoryNumberMax;
  rewrite(full);
  EXPECT_EQ(roll_back(plan_to(1)).error().code(), 7662);
  rewrite(old);
  EXPECT_TRUE(manifest().says_the_same(old));
  EXPECT_EQ(names(), before);
  expect_value("live");
}

TEST_F(RollbackTest, KnownEndsAreThoseOfAllStoresAndOfTheBase) {
  start();
  const auto ends = known_ends(manifest());
  EXPECT_EQ(ends.objects, 4000U);
  EXPECT_EQ(ends.sequences, 4U);
  auto based = manifest();
  based.base = BaseFacts();
  based.base->end_of_numbers = 7000;
  EXPECT_EQ(known_ends(based).objects, 7000U);
}

// The stores that go leave their space only at the end. A value.
struct ShortLog {
  const char* name;
  std::uint64_t wanted_bytes;  ///< for a segment of the log
  std::uint64_t free_bytes;    ///< of the disk
  std::uint64_t made_bytes;    ///< for a segment
};

class RollbackOnAFullDisk : public RollbackTest, public testing::WithParamInterface<ShortLog> {};

TEST_P(RollbackOnAFullDisk, HasAShorterLog) {
  start();
  auto plan = plan_to(1);
  plan.parameters.segment_bytes = GetParam().wanted_bytes;
  std::uint64_t taken_bytes = 0;
  for (const auto& store : manifest().stores) {
    taken_bytes += bytes_on_disk(*disk_, store_path("/d", store)).value();
  }
  disk_->set_capacity(taken_bytes + GetParam().free_bytes);
  ASSERT_TRUE(roll_back(plan));
  const auto now = manifest();
  const auto path = store_path("/d", now.stores.back());
  EXPECT_EQ(read_store_superblock(*disk_, path).value().parameters.segment_bytes,
            GetParam().made_bytes);
  expect_value("first");
  put("later");
  expect_value("later");
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

INSTANTIATE_TEST_SUITE_P(Logs, RollbackOnAFullDisk,
                         testing::Values(ShortLog{"Quarter", 16 * kMiB, 12 * kMiB, 4 * kMiB},
                                         ShortLog{"Least", 3 * kMiB, 5 * kMiB / 2, kMiB}),
                         [](const auto& log) { return log.param.name; });

TEST_F(RollbackTest, WithoutSpaceForAnyLogNothingChanges) {
  start();
  const auto before = names();
  auto plan = plan_to(1);
  plan.parameters.segment_bytes = std::uint64_t{4} << 20;
  std::uint64_t taken_bytes = 0;
  for (const auto& store : manifest().stores) {
    taken_bytes += bytes_on_disk(*disk_, store_path("/d", store)).value();
  }
  disk_->set_capacity(taken_bytes + (std::uint64_t{1} << 20));
  EXPECT_EQ(roll_back(plan).error().kind(), ErrorKind::kNoSpace);
  EXPECT_EQ(names(), before);
  expect_value("live");
}

// No number of a directory comes twice, so leftovers are never taken for a store.
TEST_F(RollbackTest, RollbacksInARow) {
  start();
  std::uint64_t number = manifest().next_number;
  for (int i = 0; i < 5; ++i) {
    auto plan = plan_to(1);
    plan.objects += static_cast<std::uint64_t>(i);
    plan.sequence += 10 * static_cast<std::uint64_t>(i);
    ASSERT_TRUE(roll_back(plan));
    EXPECT_EQ(manifest().stores.back().number, number++);
    put("again");
  }
  expect_value("again");
  EXPECT_EQ(names().size(), 4U);
}

}  // namespace
}  // namespace dgfs::test
