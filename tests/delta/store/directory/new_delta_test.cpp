// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Deltas that are made and taken back, on disks that are full, and after crashes.
#include "delta/store/directory/new_delta.h"

#include "delta/store/directory/space_to_begin.h"

#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "tests/delta/store/crash/stopping_env.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::OpenOptions;

class NewDeltaTest : public testing::Test {
 protected:
  NewDeltaTest() {
    options_.parameters = {4096, 16384, 8, 1 << 16, 2048};
    options_.table_bytes = 32768;
    options_.dirty_bytes = 32768;
  }
  Result<std::optional<NewDelta>> make() { return make(*env_); }
  Result<std::optional<NewDelta>> make(storage::Env& env) {
    return NewDelta::make_if_vacant(env, "/d", format::Uuid{}, 1000, options_);
  }
  [[nodiscard]] std::unique_ptr<DeltaDirectory> open() {
    auto opened = DeltaDirectory::open(*env_, "/d", options_);
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? std::move(opened).value() : nullptr;
  }
  [[nodiscard]] bool is_there(const std::string& path = "/d") {
    return env_->status(path).has_value();
  }
  void make_and_keep() {
    auto made = make();
    ASSERT_TRUE(made && made.value());
    made.value()->keep();
  }
  void put(const std::string& value) {
    const auto delta = open();
    Batch batch;
    batch.put("key", value);
    ASSERT_TRUE(delta->newest().apply(batch));
    ASSERT_TRUE(delta->newest().sync());
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_;
};

TEST_F(NewDeltaTest, IsTakenBackUnlessItIsKept) {
  { ASSERT_TRUE(make().value()); }
  EXPECT_FALSE(is_there());
  {
    const auto made = make();
    ASSERT_TRUE(made.value());
    EXPECT_TRUE(open()->newest().takes_changes()) << "opening it changes nothing about that";
  }
  EXPECT_FALSE(is_there());
  make_and_keep();
  EXPECT_TRUE(is_there("/d/MANIFEST"));
  EXPECT_FALSE(make().value()) << "there is no room for another one";
  EXPECT_TRUE(is_there("/d/MANIFEST"));
}

// A mount leaves it, also one that was refused and whose delta could not be taken back as a whole.
TEST_F(NewDeltaTest, IsMadeBesideTheNameOfASocket) {
  make_and_keep();
  ASSERT_TRUE(env_->open("/d/control", {OpenOptions::Mode::kCreateNew}));
  EXPECT_FALSE(is_vacant(*env_, "/d").value());
  ASSERT_TRUE(env_->remove("/d/MANIFEST"));
  EXPECT_TRUE(is_vacant(*env_, "/d").value());
  { ASSERT_TRUE(make().value()); }
  EXPECT_TRUE(env_->open_directory("/d").value()->list().value().empty());
}

TEST_F(NewDeltaTest, LeavesADirectoryAsItWas) {
  ASSERT_TRUE(env_->make_directory("/d", 0755));
  {
    const auto made = make();
    ASSERT_TRUE(made.value());
    static_cast<void>(open());
    EXPECT_EQ(env_->status("/d").value().mode & 0777, 0700U);
  }
  EXPECT_EQ(env_->status("/d").value().mode & 0777, 0755U);
  EXPECT_TRUE(env_->open_directory("/d").value()->list().value().empty());
}

TEST_F(NewDeltaTest, IsNotTakenBackOnceItHoldsAChangeOrIsOpen) {
  {
    const auto made = make();
    put("value");
  }
  EXPECT_EQ(*open()->newest().get("key").value(), "value");
  env_ = storage::make_memory_env(1);
  std::unique_ptr<DeltaDirectory> other;
  {
    const auto made = make();
    other = open();
  }
  EXPECT_TRUE(is_there("/d/MANIFEST"));
  other.reset();
  EXPECT_TRUE(open()->newest().takes_changes());
}

// Whatever the disk has: a delta, or nothing and the reason.
TEST_F(NewDeltaTest, LeavesNothingOnAFullDisk) {
  bool was_refused = false;
  bool was_made = false;
  for (std::uint64_t pages = 0; pages < 60; ++pages) {
    env_ = storage::make_memory_env(1);
    env_->set_capacity(pages * 4096);
    {
      const auto made = make();
      if (!made) {
        was_refused = true;
        ASSERT_EQ(made.error().kind(), ErrorKind::kNoSpace) << made.error().message();
        ASSERT_FALSE(is_there()) << pages;
      } else {
        was_made = true;
      }
    }
    ASSERT_FALSE(is_there()) << pages;
    env_->set_capacity(std::uint64_t{1} << 30);
    ASSERT_TRUE(make().value()) << pages;
  }
  EXPECT_TRUE(was_refused && was_made);
}

// As much as is said to be needed is enough for changes.
TEST_F(NewDeltaTest, TakesChangesOnADiskOfTheSizeThatIsAskedFor) {
  env_->set_capacity(bytes_to_begin(options_));
  make_and_keep();
  const auto delta = open();
  ASSERT_TRUE(delta->newest().takes_changes());
  for (int i = 0; i < 12; ++i) {
    Batch batch;
    batch.put("key" + std::to_string(i), std::string(1000, 'v'));
    const auto applied = delta->newest().apply(batch);
    ASSERT_TRUE(applied) << i << applied.error().message();
  }
  ASSERT_TRUE(delta->close());
}

// There is a little space for contents, too, though the step of a reserve could take it.
TEST_F(NewDeltaTest, TakesContentsOnADiskOfTheSizeThatIsAskedFor) {
  env_->set_capacity(bytes_to_begin(options_));
  make_and_keep();
  const auto delta = open();
  for (int i = 0; i < 12; ++i) {
    Batch batch;
    batch.put("key" + std::to_string(i), std::string(std::size_t{64} << 10, 'v'));
    const auto applied = delta->newest().apply(batch);
    ASSERT_TRUE(applied) << i << applied.error().message();
  }
  ASSERT_TRUE(delta->close());
}

// Contents need space of their own beside it.
TEST_F(NewDeltaTest, TakesContentsOnALargerDisk) {
  env_->set_capacity(bytes_to_begin(options_) + (std::uint64_t{8} << 20));
  make_and_keep();
  const auto delta = open();
  for (int i = 0; i < 12; ++i) {
    Batch batch;
    batch.put("key" + std::to_string(i), std::string(std::size_t{64} << 10, 'v'));
    const auto applied = delta->newest().apply(batch);
    ASSERT_TRUE(applied) << i << applied.error().message();
  }
  ASSERT_TRUE(delta->close());
}

TEST_F(NewDeltaTest, ACrashWhileItIsMadeLeavesRoomForIt) {
  int interrupted = 0;
  for (const auto loss : {storage::CrashLoss::kDropUnsynced, storage::CrashLoss::kKeepAll,
                          storage::CrashLoss::kScattered}) {
    bool has_stopped = true;
    for (std::uint64_t call = 1; has_stopped; ++call) {
      env_ = storage::make_memory_env(1);
      StoppingEnv env(*env_, call);
      {
        auto made = make(env.env());
        if (made && made.value()) made.value()->keep();
      }
      has_stopped = env.has_stopped();
      env_->crash(loss, call);
      if (!is_there("/d/MANIFEST")) {
        interrupted += is_there() ? 1 : 0;
        ASSERT_TRUE(is_vacant(*env_, "/d").value()) << call;
        make_and_keep();
      }
      put("value");
    }
  }
  EXPECT_GT(interrupted, 20);
}

// The remains of a delta that was used are never taken for an interrupted attempt.
TEST_F(NewDeltaTest, WhatHeldAChangeIsNotVacant) {
  for (const bool has_checkpoint : {false, true}) {
    env_ = storage::make_memory_env(1);
    make_and_keep();
    put("value");
    if (has_checkpoint) {
      ASSERT_TRUE(open()->close());
    }
    EXPECT_FALSE(is_vacant(*env_, "/d").value());
    ASSERT_TRUE(env_->remove("/d/MANIFEST"));
    EXPECT_FALSE(is_vacant(*env_, "/d").value());
    EXPECT_FALSE(make().value());
    ASSERT_TRUE(env_->remove("/d/0001/store"));
    // The log, or blocks beyond the first one.
    EXPECT_EQ(is_vacant(*env_, "/d").value(), false) << has_checkpoint;
  }
}

TEST_F(NewDeltaTest, OtherNamesAreNobodysToReplace) {
  ASSERT_TRUE(env_->make_directory("/d", 0700));
  EXPECT_TRUE(is_vacant(*env_, "/d").value());
  ASSERT_TRUE(env_->open("/d/photo", {OpenOptions::Mode::kCreateNew}));
  EXPECT_FALSE(is_vacant(*env_, "/d").value());
  ASSERT_TRUE(env_->remove("/d/photo"));
  ASSERT_TRUE(env_->make_directory("/d/0001", 0700));
  EXPECT_TRUE(is_vacant(*env_, "/d").value());
  ASSERT_TRUE(env_->open("/d/0001/photo", {OpenOptions::Mode::kCreateNew}));
  EXPECT_FALSE(is_vacant(*env_, "/d").value());
}

}  // namespace
}  // namespace dgfs::test
