// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories of deltas: the stack that opening gives, and the state after a crash during a change.
#include "delta/store/directory/delta_directory.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "delta/store/snapshot/stack_snapshot.h"
#include "storage/memory/env.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/sealed_delta.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CrashLoss;

constexpr std::uint64_t kBorn = 1000;
constexpr std::uint64_t kNextBorn = 2000;

StoreOptions stack_options() {
  Random random(3);
  auto options = tiny_options(random);
  options.create = false;
  return options;
}

StoreOptions read_options() {
  auto options = stack_options();
  options.access = StoreAccess::kReadOnly;
  return options;
}

format::Uuid image() {
  format::Uuid uuid{};
  uuid.fill(0x42);
  return uuid;
}

void put(Store& store, const std::string& key, const std::string& value) {
  Batch batch;
  batch.put(key, value);
  ASSERT_TRUE(store.apply(batch));
}

class DeltaDirectoryTest : public testing::Test {
 protected:
  Status create(storage::Env& env) {
    return DeltaDirectory::create(env, "/d", image(), kBorn, stack_options());
  }
  Status add(storage::Env& env, std::uint64_t object = kNextBorn) {
    return seal_delta(env, "/d", object, stack_options());
  }
  std::unique_ptr<DeltaDirectory> open(storage::Env& env) { return open(env, stack_options()); }
  std::unique_ptr<DeltaDirectory> open(storage::Env& env, const StoreOptions& options) {
    auto opened = DeltaDirectory::open(env, "/d", options);
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? std::move(opened).value() : nullptr;
  }
  // Makes a delta whose store has a change in its log.
  void make_first() {
    ASSERT_TRUE(create(*disk_));
    const auto delta = open(*disk_);
    put(delta->newest(), "key", "first");
    ASSERT_TRUE(delta->newest().sync());
  }
  void flip(const std::string& path, std::uint64_t offset_bytes) {
    const auto file = disk_->open(path, {storage::OpenOptions::Mode::kReadWrite}).value();
    Buffer byte(1);
    ASSERT_TRUE(storage::read_exactly(*file, offset_bytes, byte));
    byte[0] ^= 1;
    ASSERT_TRUE(file->write_at(offset_bytes, byte));
  }
  Error open_error(const StoreOptions& options = stack_options()) {
    auto opened = DeltaDirectory::open(*disk_, "/d", options);
    EXPECT_FALSE(opened);
    return opened ? Error() : std::move(opened).error();
  }

  std::unique_ptr<storage::MemoryEnv> disk_ = storage::make_memory_env(1);
};

TEST_F(DeltaDirectoryTest, HasTheStoresThatItsManifestNames) {
  make_first();
  ASSERT_TRUE(add(*disk_));
  const auto delta = open(*disk_);
  const auto& manifest = delta->manifest();
  EXPECT_EQ(manifest.image, image());
  ASSERT_EQ(delta->stores().size(), 2U);
  ASSERT_EQ(manifest.stores.size(), 2U);
  EXPECT_EQ(manifest.stores[0].born_object, kBorn);
  EXPECT_EQ(manifest.stores[1].born_object, kNextBorn);
  EXPECT_EQ(manifest.stores[0].first_sequence, 1U);
  EXPECT_EQ(manifest.stores[1].first_sequence, 2U);
  EXPECT_EQ(manifest.stores[1].name(), "0002");
  EXPECT_EQ(*delta->stores()[0]->get("key").value(), "first");
  EXPECT_FALSE(delta->newest().get("key").value());
  put(delta->newest(), "key", "second");
  Batch batch;
  batch.put("key", "below");
  EXPECT_EQ(delta->stores()[0]->apply(batch).error().kind(), ErrorKind::kPermission);
}

TEST_F(DeltaDirectoryTest, IsMadeOnce) {
  make_first();
  EXPECT_EQ(create(*disk_).error().kind(), ErrorKind::kExists);
  EXPECT_EQ(*open(*disk_)->newest().get("key").value(), "first");
}

TEST_F(DeltaDirectoryTest, IsReadBesideOthersAndWrittenToAlone) {
  make_first();
  {
    const auto one = open(*disk_, read_options());
    const auto other = open(*disk_, read_options());
    EXPECT_EQ(*other->newest().get("key").value(), "first");
    EXPECT_EQ(open_error().kind(), ErrorKind::kBusy);
    EXPECT_EQ(add(*disk_).error().kind(), ErrorKind::kBusy);
  }
  const auto writer = open(*disk_);
  EXPECT_EQ(open_error(read_options()).kind(), ErrorKind::kBusy);
  EXPECT_EQ(add(*disk_).error().kind(), ErrorKind::kBusy);
}

TEST_F(DeltaDirectoryTest, IsReadWithoutAWrite) {
  make_first();
  ASSERT_TRUE(add(*disk_));
  int changes = 0;
  HookEnv env(*disk_, [&](storage::CallKind kind, const std::string& path) -> Status {
    using storage::CallKind;
    if (kind == CallKind::kOpen || kind == CallKind::kRead || kind == CallKind::kOther) return ok();
    ++changes;
    return Error(ErrorKind::kIo, 1133, "nothing may be changed").in_file(path);
  });
  EXPECT_EQ(*open(env, read_options())->stores()[0]->get("key").value(), "first");
  EXPECT_EQ(changes, 0);
}

TEST_F(DeltaDirectoryTest, RefusesAStoreThatIsBornTooEarly) {
  make_first();
  EXPECT_EQ(add(*disk_, kBorn - 1).error().code(), 7148);
  ASSERT_TRUE(add(*disk_, kBorn));
  ASSERT_EQ(open(*disk_)->stores().size(), 2U);
}

// The first version of the manifest has numbers up to 9999 only.
TEST_F(DeltaDirectoryTest, NumbersOfDirectoriesGoOnAboveFourDigits) {
  make_first();
  {
    const auto file = disk_->open("/d/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto manifest = read_manifest(*file).value();
    manifest.stores.back().number = kStoreNumberMax;
    ++manifest.generation;
    ASSERT_TRUE(write_both_slots(*file, manifest));
    ASSERT_TRUE(disk_->rename("/d/0001", "/d/9999"));
  }
  ASSERT_TRUE(add(*disk_));
  const auto delta = open(*disk_);
  ASSERT_EQ(delta->stores().size(), 2U);
  EXPECT_EQ(delta->manifest().stores.back().name(), "10000");
  EXPECT_EQ(*delta->stores()[0]->get("key").value(), "first");
}

TEST_F(DeltaDirectoryTest, TakesNoStoreAboveTheHighestNumber) {
  make_first();
  ASSERT_TRUE(add(*disk_));
  {
    const auto file = disk_->open("/d/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto manifest = read_manifest(*file).value();
    manifest.next_number = kDirectoryNumberMax;
    ++manifest.generation;
    ASSERT_TRUE(write_both_slots(*file, manifest));
  }
  const auto refused = add(*disk_);
  ASSERT_EQ(refused.error().code(), 7420);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kLimit);
}

TEST_F(DeltaDirectoryTest, ACapCountsAllStores) {
  make_first();
  ASSERT_TRUE(add(*disk_));
  auto options = stack_options();
  options.max_bytes = std::uint64_t{1} << 20;
  {
    const auto delta = open(*disk_, options);
    ASSERT_GT(delta->sealed_bytes(), 8192U);
    EXPECT_EQ(delta->newest().space().max_bytes, options.max_bytes - delta->sealed_bytes());
    EXPECT_TRUE(delta->newest().takes_changes());
    options.max_bytes = delta->sealed_bytes();
  }
  const auto delta = open(*disk_, options);
  EXPECT_EQ(delta->newest().space().free_bytes, 0U) << "the sealed store has taken all";
}

// Without it a sealed store would answer "maybe" for every object, as long as it is open.
TEST_F(DeltaDirectoryTest, StartsTheFiltersOfAllStores) {
  constexpr std::uint64_t kObjects = 500;
  ASSERT_TRUE(create(*disk_));
  {
    const auto delta = open(*disk_);
    for (std::uint64_t object = 0; object < kObjects; ++object) {
      put(delta->newest(), object_key(1, object), "value");
    }
    ASSERT_TRUE(delta->close());
  }
  ASSERT_TRUE(add(*disk_));
  auto options = stack_options();
  options.in_background = true;
  const auto delta = open(*disk_, options);
  const auto passed = [&] {
    int count = 0;
    for (std::uint64_t object = 0; object < kObjects; ++object) {
      if (delta->stores()[0]->may_have(2, object)) ++count;
    }
    return count;
  };
  ASSERT_EQ(passed(), kObjects) << "the full stages are not read yet";
  ASSERT_TRUE(delta->start());
  for (int waits = 0; passed() > 50 && waits < 2000; ++waits) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LE(passed(), 50);
}

TEST_F(DeltaDirectoryTest, RefusesStoresThatAreNotThoseOfItsManifest) {
  make_first();
  ASSERT_TRUE(add(*disk_));
  ASSERT_TRUE(disk_->rename("/d/0001", "/d/below"));
  EXPECT_EQ(open_error().code(), 7142);
  ASSERT_TRUE(disk_->rename("/d/0002", "/d/0001"));
  EXPECT_EQ(open_error().code(), 7143);
  EXPECT_EQ(open_error().message().find("/d/0001/store: superblock: has UUID "), 0U)
      << open_error().message();
  ASSERT_TRUE(disk_->rename("/d/0001", "/d/0002"));
  ASSERT_TRUE(disk_->rename("/d/below", "/d/0001"));
}

TEST_F(DeltaDirectoryTest, KeepsItsNewestStackWhereASlotIsLost) {
  make_first();
  ASSERT_TRUE(add(*disk_));
  { put(open(*disk_)->newest(), "key", "second"); }
  for (std::uint64_t at = 0; at < 2 * kStatesManifestSlotBytes; at += 131) {
    flip("/d/MANIFEST", at);
    ASSERT_EQ(open(*disk_, read_options())->stores().size(), 2U) << at;
    ASSERT_EQ(open(*disk_)->stores().size(), 2U) << at;  // opening for writing mends the slot
    flip("/d/MANIFEST", (at + kStatesManifestSlotBytes) % (2 * kStatesManifestSlotBytes));
    ASSERT_EQ(open(*disk_)->stores().size(), 2U) << at;
  }
  flip("/d/MANIFEST", 20);
  flip("/d/MANIFEST", kStatesManifestSlotBytes + 20);
  EXPECT_EQ(open_error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(open_error().message().find("/d/MANIFEST: manifest: "), 0U) << open_error().message();
}

// Two stores, the upper one over the values of the lower one, answer like one.
TEST_F(DeltaDirectoryTest, OfTwoStoresSaysTogetherWhatAMapDoes) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    disk_ = storage::make_memory_env(1);
    Random random(seed);
    BatchShape shape;
    shape.keys = 50;
    shape.may_erase = false;
    StoreModel model;
    ASSERT_TRUE(create(*disk_));
    for (const bool is_upper : {false, true}) {
      if (is_upper) {
        ASSERT_TRUE(add(*disk_));
      }
      for (int opening = 0; opening < 2; ++opening) {
        const auto delta = open(*disk_);
        for (int step = 0; step < 100; ++step) {
          const auto batch = random_batch(random, shape);
          ASSERT_TRUE(delta->newest().apply(batch));
          model.apply(batch);
        }
        ASSERT_TRUE(opening == 0 ? delta->newest().sync() : delta->close());
      }
    }
    const auto delta = open(*disk_, read_options());
    const StackSnapshot stack(
        {delta->stores()[0]->snapshot("a test"), delta->stores()[1]->snapshot("a test")});
    const auto nothing = [](std::string_view) -> Result<std::optional<std::string>> {
      return std::nullopt;
    };
    for (std::uint64_t number = 0; number < 4 * shape.keys; ++number) {
      const auto key = random_key(random, shape);
      const auto found = stack.get(key, nothing).value();
      const auto at = model.values().find(key);
      ASSERT_EQ(found.has_value(), at != model.values().end()) << key;
      if (found) {
        ASSERT_EQ(*found, at->second) << key;
      }
    }
  }
}

// Crashes at each call of a change, with each kind of loss. A reader and a writer see the same
// state afterwards.
class DeltaCrash : public DeltaDirectoryTest {
 protected:
  static constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                         CrashLoss::kRandomSubset, CrashLoss::kScattered};

  /// @param prepare  makes the state before the change
  /// @param change   is stopped; returns whether it was acknowledged
  /// @param look     checks the state that is left
  void stop_everywhere(const std::function<void()>& prepare,
                       const std::function<Status(storage::Env&)>& change,
                       const std::function<void(bool is_acknowledged)>& look) {
    int points = 0;
    for (const auto loss : kLosses) {
      bool has_stopped = true;
      for (std::uint64_t call = 1; has_stopped; ++call) {
        disk_ = storage::make_memory_env(1);
        prepare();
        StoppingEnv env(*disk_, call);
        const auto changed = change(env.env());
        has_stopped = env.has_stopped();
        const bool is_acknowledged = changed && !has_stopped;
        disk_->crash(loss, call);
        look(is_acknowledged);
        ++points;
        ASSERT_FALSE(HasFailure()) << "call " << call << ", loss " << static_cast<int>(loss);
      }
    }
    RecordProperty("crash_points", points);
    EXPECT_GT(points, 100);
  }
};

TEST_F(DeltaCrash, OfMakingADeltaLeavesNoneOrAWholeOne) {
  stop_everywhere(
      [] {}, [&](storage::Env& env) { return create(env); },
      [&](bool is_acknowledged) {
        const auto seen = DeltaDirectory::open(*disk_, "/d", read_options());
        if (!seen) {
          EXPECT_FALSE(is_acknowledged);
          ASSERT_EQ(seen.error().kind(), ErrorKind::kNotFound) << seen.error().message();
          ASSERT_TRUE(create(*disk_)) << "creating the delta replaces the unfinished one";
        } else {
          ASSERT_EQ(seen.value()->manifest().stores.size(), 1U);
        }
      });
}

TEST_F(DeltaCrash, OfAMadeDeltaIsUsable) {
  stop_everywhere([] {}, [&](storage::Env& env) { return create(env); },
                  [&](bool /*is_acknowledged*/) {
                    const auto made = create(*disk_);
                    ASSERT_TRUE(made || made.error().kind() == ErrorKind::kExists);
                    { put(open(*disk_)->newest(), "key", "value"); }
                    {
                      const auto delta = open(*disk_);
                      put(delta->newest(), "key", "value");
                      ASSERT_TRUE(delta->close());
                    }
                    EXPECT_EQ(*open(*disk_, read_options())->newest().get("key").value(), "value");
                    EXPECT_TRUE(check_store(*disk_, "/d/0001"));
                  });
}

TEST_F(DeltaCrash, OfAddingAStoreLeavesTheOldStackOrTheNew) {
  stop_everywhere([&] { make_first(); }, [&](storage::Env& env) { return add(env); },
                  [&](bool is_acknowledged) {
                    std::size_t seen = 0;
                    {
                      const auto delta = open(*disk_, read_options());
                      ASSERT_NE(delta, nullptr);
                      seen = delta->stores().size();
                      ASSERT_TRUE(seen == 2 || !is_acknowledged);
                      ASSERT_EQ(*delta->stores()[0]->get("key").value(), "first");
                    }
                    {
                      const auto delta = open(*disk_);
                      ASSERT_EQ(delta->stores().size(), seen);
                      put(delta->newest(), "other", "value");
                      ASSERT_TRUE(delta->newest().sync());
                    }
                    // The next attempt replaces the files of an unfinished one.
                    ASSERT_TRUE(add(*disk_, kNextBorn));
                    const auto delta = open(*disk_);
                    ASSERT_EQ(delta->stores().size(), seen + 1);
                    ASSERT_EQ(*delta->stores()[seen - 1]->get("other").value(), "value");
                    ASSERT_EQ(delta->newest().get("other").value(), std::nullopt);
                    for (const auto& store : delta->manifest().stores) {
                      ASSERT_TRUE(check_store(*disk_, "/d/" + store.name())) << store.name();
                    }
                  });
}

// The process ends. The next one sees a state that is not on the disk yet, and writes to it. Then
// the machine stops.
TEST_F(DeltaCrash, AfterTheProcessHasEndedLosesNothingThatIsDurable) {
  bool has_stopped = true;
  for (std::uint64_t call = 1; has_stopped; ++call) {
    for (const auto loss : kLosses) {
      disk_ = storage::make_memory_env(1);
      make_first();
      StoppingEnv env(*disk_, call);
      static_cast<void>(add(env.env()));
      has_stopped = env.has_stopped();
      std::size_t seen = 0;
      {
        const auto delta = open(*disk_);
        ASSERT_NE(delta, nullptr) << call;
        seen = delta->stores().size();
        put(delta->newest(), "other", "value");
        ASSERT_TRUE(delta->newest().sync());
      }
      disk_->crash(loss, call);
      const auto delta = open(*disk_);
      ASSERT_NE(delta, nullptr) << call;
      ASSERT_EQ(delta->stores().size(), seen) << call;
      ASSERT_EQ(*delta->newest().get("other").value(), "value") << call;
    }
  }
}

// The same, but the machine stops while the next process opens the delta: a slot that is not on the
// disk must get there before the other one is written.
TEST_F(DeltaCrash, OfAnOpeningAfterTheProcessHasEndedLeavesAWholeStack) {
  constexpr std::uint64_t kCallsOfTheManifest = 12;
  bool has_stopped = true;
  for (std::uint64_t call = 1; has_stopped; ++call) {
    for (std::uint64_t round = 0; round < 4 * kCallsOfTheManifest; ++round) {
      disk_ = storage::make_memory_env(1);
      make_first();
      StoppingEnv first(*disk_, call);
      static_cast<void>(add(first.env()));
      has_stopped = first.has_stopped();
      StoppingEnv second(*disk_, 1 + round / 4);
      static_cast<void>(DeltaDirectory::open(second.env(), "/d", stack_options()));
      disk_->crash(CrashLoss::kScattered, round * 1000 + call);
      const auto delta = open(*disk_);
      ASSERT_NE(delta, nullptr) << "call " << call << ", round " << round;
      ASSERT_EQ(*delta->stores()[0]->get("key").value(), "first");
    }
  }
}

}  // namespace
}  // namespace dgfs::test
