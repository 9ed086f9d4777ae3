// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Features of the memory environment alone: crashes, a clock that tests move, a capacity.
#include "storage/memory/env.h"

#include <set>

#include "storage/memory/content.h"
#include "storage/original_file.h"
#include "tests/storage/env_fixture.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;

class MemoryEnvTest : public testing::Test {
 protected:
  std::unique_ptr<storage::File> create(const std::string& path, std::string_view text) {
    auto file = std::move(env_->open(path, kCreate)).value();
    EXPECT_TRUE(file->write_at(0, as_bytes(text)));
    return file;
  }
  std::string content(const std::string& path) {
    const auto file = std::move(env_->open(path)).value();
    Buffer bytes(file->size().value());
    EXPECT_TRUE(read_exactly(*file, 0, bytes));
    return std::string(as_text(bytes));
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
};

TEST_F(MemoryEnvTest, CrashDropsWhatWasNotSynced) {
  const auto file = create("/f", "old");
  ASSERT_OK(file->sync());
  ASSERT_OK(env_->sync_directory("/"));
  ASSERT_OK(file->write_at(0, as_bytes("newer")));
  create("/unsynced", "x");
  env_->crash(CrashLoss::kDropUnsynced, 0);
  EXPECT_EQ(content("/f"), "old");
  EXPECT_FAILS(ErrorKind::kNotFound, env_->open("/unsynced"));
  EXPECT_FAILS(ErrorKind::kIo, file->size());
}

TEST_F(MemoryEnvTest, AFileKeepsItsIdentityAndACopyHasAnother) {
  const auto file = create("/f", "x");
  const auto identity = storage::identity_of(*file);
  ASSERT_TRUE(identity);
  EXPECT_NE(storage::identity_of(*create("/copy", "x")), identity);
  ASSERT_OK(file->sync());
  ASSERT_OK(env_->rename("/f", "/g"));
  ASSERT_OK(env_->sync_directory("/"));
  env_->crash(CrashLoss::kDropUnsynced, 0);
  EXPECT_EQ(storage::identity_of(*env_->open("/g").value()), identity);
  EXPECT_EQ(storage::identity_of(*env_->snapshot()->open("/g").value()), identity);
}

TEST_F(MemoryEnvTest, ASnapshotIsDurableAndStandsAlone) {
  ASSERT_OK(env_->make_directory("/d", 0755));
  const auto file = create("/d/f", "old");
  const auto taken = env_->snapshot();
  ASSERT_OK(file->write_at(0, as_bytes("new")));
  ASSERT_OK(env_->remove("/d/f"));
  taken->crash(CrashLoss::kDropUnsynced, 0);
  const auto kept = taken->open("/d/f").value();
  Buffer bytes(3);
  ASSERT_TRUE(read_exactly(*kept, 0, bytes));
  EXPECT_EQ(as_text(bytes), "old");
  EXPECT_NE(storage::identity_of(*taken->open("/other", kCreate).value()),
            storage::identity_of(*kept));
  taken->set_capacity(storage::MemoryContent::kPageBytes);
  EXPECT_FAILS(
      ErrorKind::kNoSpace,
      taken->open("/other", {storage::OpenOptions::Mode::kReadWrite}).value()->write_at(0, bytes));
}

TEST_F(MemoryEnvTest, AFileKnowsOfItsOtherOpenings) {
  const auto file = create("/f", "x");
  EXPECT_FALSE(storage::may_be_open_elsewhere(*file));
  const auto other = env_->open("/f");
  EXPECT_TRUE(storage::may_be_open_elsewhere(*file));
}

TEST_F(MemoryEnvTest, SyncOfAFileDoesNotSyncItsName) {
  ASSERT_OK(create("/f", "x")->sync());
  env_->crash(CrashLoss::kDropUnsynced, 0);
  EXPECT_FAILS(ErrorKind::kNotFound, env_->open("/f"));
}

TEST_F(MemoryEnvTest, SyncOfANameDoesNotSyncTheContent) {
  create("/f", "x");
  ASSERT_OK(env_->sync_directory("/"));
  env_->crash(CrashLoss::kDropUnsynced, 0);
  EXPECT_EQ(content("/f"), "");
}

TEST_F(MemoryEnvTest, CrashUndoesUnsyncedRenameAndRemove) {
  ASSERT_OK(create("/a", "a")->sync());
  ASSERT_OK(create("/b", "b")->sync());
  ASSERT_OK(env_->sync_directory("/"));
  ASSERT_OK(env_->rename("/a", "/c"));
  ASSERT_OK(env_->remove("/b"));
  env_->crash(CrashLoss::kDropUnsynced, 0);
  EXPECT_EQ(content("/a"), "a");
  EXPECT_EQ(content("/b"), "b");
  EXPECT_EQ(env_->status("/a").value().link_count, 1U);
  EXPECT_FAILS(ErrorKind::kNotFound, env_->open("/c"));
}

TEST_F(MemoryEnvTest, RenameIsAtomicAcrossCrashes) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const auto env = storage::make_memory_env(1);
    ASSERT_OK(env->open("/a", kCreate));
    ASSERT_OK(env->sync_directory("/"));
    ASSERT_OK(env->rename("/a", "/b"));
    env->crash(CrashLoss::kRandomSubset, seed);
    EXPECT_NE(env->status("/a").has_value(), env->status("/b").has_value()) << seed;
  }
}

TEST_F(MemoryEnvTest, PublishSurvivesACrash) {
  const auto file = std::move(env_->create_unnamed("/")).value();
  ASSERT_OK(file->write_at(0, as_bytes("whole")));
  ASSERT_OK(env_->publish(*file, "/f"));
  ASSERT_OK(file->write_at(0, as_bytes("later")));
  env_->crash(CrashLoss::kDropUnsynced, 0);
  EXPECT_EQ(content("/f"), "whole");
}

// As after a failed writeback: a later sync succeeds.
TEST_F(MemoryEnvTest, WhatWasNotSyncedCanBeLostForGood) {
  const auto file = create("/f", "old");
  ASSERT_OK(file->sync());
  ASSERT_OK(env_->sync_directory("/"));
  ASSERT_OK(file->write_at(0, as_bytes("lost")));
  ASSERT_OK(env_->lose_unsynced("/f"));
  EXPECT_EQ(content("/f"), "lost");
  ASSERT_OK(file->write_at(4, as_bytes(" and later")));
  ASSERT_OK(file->sync());
  env_->crash(CrashLoss::kKeepAll, 0);
  EXPECT_EQ(content("/f"), std::string("old\0 and later", 14));
  EXPECT_FAILS(ErrorKind::kNotFound, env_->lose_unsynced("/g"));
}

TEST_F(MemoryEnvTest, AScatteredWriteLosesAnySectors) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    env_ = storage::make_memory_env(1);
    const auto file = create("/f", std::string(1100, 'o'));
    ASSERT_OK(file->sync());
    ASSERT_OK(env_->sync_directory("/"));
    ASSERT_OK(file->write_at(100, as_bytes(std::string(1000, 'n'))));
    env_->crash(CrashLoss::kScattered, seed);
    const std::string bytes = content("/f");
    EXPECT_EQ(bytes.substr(0, 100), std::string(100, 'o'));
    const std::string sectors[] = {bytes.substr(100, 412), bytes.substr(512, 512),
                                   bytes.substr(1024)};
    for (const std::string& sector : sectors) {
      EXPECT_EQ(sector, std::string(sector.size(), sector.front()))
          << "a sector is kept whole or not at all";
    }
    seen.insert({bytes[100], bytes[512], bytes[1024]});
  }
  EXPECT_EQ(seen.size(), 8U);
}

TEST_F(MemoryEnvTest, KeepAllKeepsAll) {
  create("/f", "x");
  env_->crash(CrashLoss::kKeepAll, 0);
  EXPECT_EQ(content("/f"), "x");
}

TEST_F(MemoryEnvTest, CapacityLimitsWritesAndIsGivenBack) {
  env_->set_capacity(8192);
  auto file = create("/f", std::string(8192, 'x'));
  EXPECT_FAILS(ErrorKind::kNoSpace, file->write_at(8192, as_bytes("y")));
  EXPECT_EQ(file->size().value(), 8192U);
  ASSERT_OK(file->write_at(0, as_bytes("overwriting takes none")));
  ASSERT_OK(env_->remove("/f"));
  const auto other = create("/g", "");
  EXPECT_FAILS(ErrorKind::kNoSpace, other->write_at(0, as_bytes("y")));  // still open
  file.reset();
  ASSERT_OK(other->write_at(0, as_bytes("y")));
}

TEST_F(MemoryEnvTest, PreallocatedSpaceCannotRunOut) {
  env_->set_capacity(3 * 4096);
  const auto file = create("/f", "");
  EXPECT_FAILS(ErrorKind::kNoSpace, file->preallocate(0, 4 * 4096));
  ASSERT_OK(file->preallocate(0, 2 * 4096));
  create("/g", "takes the last page");
  ASSERT_OK(file->write_at(0, Buffer(2 * 4096)));
  EXPECT_FAILS(ErrorKind::kNoSpace, file->write_at(2 * 4096, Buffer(1)));
}

TEST_F(MemoryEnvTest, PunchedSpaceIsFreeForOthers) {
  env_->set_capacity(4 * 4096);
  const auto file = create("/f", std::string(3 * 4096, 'x'));
  ASSERT_OK(file->preallocate(2 * 4096, 4 * 4096));
  EXPECT_EQ(file->free_bytes().value(), 0U);
  ASSERT_OK(file->punch(100, 3 * 4096));
  EXPECT_EQ(file->free_bytes().value(), 2U * 4096);
  EXPECT_EQ(file->status().value().allocated_bytes, 2U * 4096);
  create("/g", "takes one of both");
  ASSERT_OK(file->write_at(3 * 4096, Buffer(4096)));
  EXPECT_FAILS(ErrorKind::kNoSpace, file->preallocate(4096, 3 * 4096));
  ASSERT_OK(file->preallocate(2 * 4096, 3 * 4096));
  ASSERT_OK(file->write_at(2 * 4096, Buffer(4096)));
  EXPECT_FAILS(ErrorKind::kNoSpace, file->write_at(4096, Buffer(1)));
}

// A crash may lose a hole that no sync has covered; later writes over it stay.
TEST_F(MemoryEnvTest, APunchedHoleMayBeLostInACrash) {
  for (const auto loss : {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll}) {
    auto file = create("/f", std::string(2 * 4096, 'x'));
    ASSERT_OK(file->sync());
    ASSERT_OK(env_->sync_directory("/"));
    ASSERT_OK(file->punch(0, 4096));
    env_->crash(loss, 1);
    const bool is_kept = loss == CrashLoss::kKeepAll;
    EXPECT_EQ(content("/f"), std::string(4096, is_kept ? '\0' : 'x') + std::string(4096, 'x'));
    ASSERT_OK(env_->remove("/f"));
  }
}

TEST_F(MemoryEnvTest, WhatIsFreeIsWhatCanStillBeTaken) {
  env_->set_capacity(5 * 4096 + 7);
  const auto file = create("/f", "one page");
  EXPECT_EQ(file->free_bytes().value(), 4U * 4096);
  ASSERT_OK(file->preallocate(0, 3 * 4096));
  EXPECT_EQ(file->free_bytes().value(), 2U * 4096);
  ASSERT_OK(file->write_at(0, Buffer(3 * 4096)));
  EXPECT_EQ(file->free_bytes().value(), 2U * 4096);
  ASSERT_OK(file->truncate(1));
  EXPECT_EQ(file->free_bytes().value(), 4U * 4096);
  env_->set_capacity(1);
  EXPECT_EQ(file->free_bytes().value(), 0U);
}

TEST_F(MemoryEnvTest, ClockStandsUntilSet) {
  EXPECT_EQ(env_->now(), (Time{946684800, 0}));
  const auto before = env_->monotonic_ns();
  env_->set_now({946684801, 5});
  EXPECT_EQ(env_->monotonic_ns() - before, 1'000'000'005U);
  create("/f", "");
  EXPECT_EQ(env_->status("/f").value().modify_time, (Time{946684801, 5}));
  env_->set_now({0, 0});
  EXPECT_EQ(env_->monotonic_ns() - before, 1'000'000'005U);
}

TEST_F(MemoryEnvTest, RandomIsSeeded) {
  Buffer one(16), same(16), other(16);
  env_->random(one);
  storage::make_memory_env(1)->random(same);
  storage::make_memory_env(2)->random(other);
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
}

TEST_F(MemoryEnvTest, VariablesComeFromTheTest) {
  env_->set_variable("A", "b");
  EXPECT_EQ(env_->variable("A"), "b");
  env_->set_variable("A", std::nullopt);
  EXPECT_EQ(env_->variable("A"), std::nullopt);
}

}  // namespace
}  // namespace dgfs::test
