// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/volume/move.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "storage/memory/env.h"
#include "storage/name_lock.h"
#include "storage/testing/faulty_env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr const char* kFrom = "/a/volume";
constexpr const char* kTo = "/b/volume";

class VolumeMoveTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto* folder : {"/a", "/b"}) expect_ok(env_->make_directory(folder, 0755));
    content_ = pattern(9'000'000, 3);
    write_file(*env_, kFrom, content_);
    expect_ok(value_of(env_->open(kFrom))->sync());
    expect_ok(env_->sync_directory("/"));
    expect_ok(env_->sync_directory("/a"));
    expect_ok(directory("/a")->set_mode("volume", 0640));
    expect_ok(directory("/a")->set_times("volume", Time{5, 0}, Time{7, 9}));
  }
  std::unique_ptr<storage::Directory> directory(const std::string& path) {
    return value_of(env_->open_directory(path));
  }
  /// Refuses links as between two file systems.
  static Status no_links(storage::CallKind kind, const std::string& path) {
    return kind == storage::CallKind::kLink && path.ends_with(kTo)
               ? Status(Error(ErrorKind::kIo, 1, "another file system"))
               : ok();
  }
  /// @param is_synced  true if a power cut cannot have brought back the old name
  void expect_moved(bool is_synced = true) {
    EXPECT_FALSE(is_synced && env_->status(kFrom));
    EXPECT_EQ(read_file(*env_, kTo), content_);
    const auto status = value_of(env_->status(kTo));
    EXPECT_EQ(status.mode & 07777U, 0640U);
    EXPECT_EQ(status.modify_time, (Time{7, 9}));
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  Buffer content_;
};

TEST_F(VolumeMoveTest, GivesAnotherName) {
  const auto report = value_of(reader::move_volume_file(*env_, kFrom, kTo, {}));
  EXPECT_FALSE(report.is_copied);
  EXPECT_EQ(report.bytes, content_.size());
  expect_moved();
  EXPECT_TRUE(value_of(directory("/a")->list()).empty());
}

TEST_F(VolumeMoveTest, CopiesToAnotherFileSystem) {
  HookEnv env(*env_, no_links);
  std::uint64_t told_bytes = 0;
  reader::MoveOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, told_bytes);
    EXPECT_LE(done, total);
    told_bytes = done;
  };
  EXPECT_TRUE(value_of(reader::move_volume_file(env, kFrom, kTo, options)).is_copied);
  EXPECT_EQ(told_bytes, 2 * content_.size());  // written once, and read once
  expect_moved();
}

TEST_F(VolumeMoveTest, ReplacesNothing) {
  write_file(*env_, kTo, pattern(10, 1));
  const auto moved = reader::move_volume_file(*env_, kFrom, kTo, {});
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::kExists);
  EXPECT_EQ(read_file(*env_, kTo), pattern(10, 1));
  EXPECT_EQ(read_file(*env_, kFrom), content_);
}

TEST_F(VolumeMoveTest, TakesRegularFilesOnly) {
  expect_ok(directory("/a")->make_symlink("link", kFrom));
  const auto moved = reader::move_volume_file(*env_, "/a/link", kTo, {});
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::kInvalidArgument);
  EXPECT_FALSE(env_->status(kTo));
}

TEST_F(VolumeMoveTest, SeesThatTheCopyReadsDifferently) {
  HookEnv env(*env_, no_links);
  const auto faulty = storage::make_faulty_env(env, 1);
  std::size_t seen = 0;
  for (std::uint64_t call = 1;; ++call) {
    faulty->arm({storage::FaultKind::kBitFlip, call, false});
    const auto moved = reader::move_volume_file(*faulty, kFrom, kTo, {});
    if (moved) {  // the call was no read, or there are no more calls
      expect_moved();
      if (faulty->calls() < call) break;
      expect_ok(env_->rename(kTo, kFrom));
      continue;
    }
    EXPECT_EQ(moved.error().kind(), ErrorKind::kCorrupt);
    EXPECT_FALSE(env_->status(kTo));
    EXPECT_EQ(read_file(*env_, kFrom), content_);
    ++seen;
  }
  EXPECT_EQ(seen, 3 * 3U);  // reads of 4 MiB: one of the file for copying, then both files
}

// Each call fails, or is the last: one complete copy has a name, and nothing else is left.
TEST_F(VolumeMoveTest, AlwaysLeavesAWholeFile) {
  for (const bool is_copied : {false, true}) {
    for (const auto kind : {storage::FaultKind::kIoError, storage::FaultKind::kNoSpace,
                            storage::FaultKind::kTornWrite, storage::FaultKind::kStop}) {
      std::uint64_t faults = 0;
      for (std::uint64_t call = 1;; ++call) {
        env_ = storage::make_memory_env(1);
        SetUp();
        HookEnv env(*env_,
                    is_copied ? no_links : HookEnv::Hook([](auto, const auto&) { return ok(); }));
        const auto faulty = storage::make_faulty_env(env, call);
        faulty->arm({kind, call, false});
        const auto moved = reader::move_volume_file(*faulty, kFrom, kTo, {});
        if (faulty->fired() == 0) {
          ASSERT_TRUE(moved || faulty->calls() < call);
          if (faulty->calls() < call) break;
        }
        faults += faulty->fired();
        // A power cut at the last call loses unsynced changes.
        if (kind == storage::FaultKind::kStop) {
          env_->crash(storage::CrashLoss::kRandomSubset, call);
        }
        const auto from = env_->status(kFrom);
        const auto to = env_->status(kTo);
        ASSERT_TRUE(from || to) << "call " << call;
        ASSERT_TRUE(!from || read_file(*env_, kFrom) == content_) << "call " << call;
        ASSERT_TRUE(!to || read_file(*env_, kTo) == content_) << "call " << call;
        if (moved) {
          expect_moved(kind != storage::FaultKind::kStop);
        } else {
          ASSERT_TRUE(from) << "call " << call;
        }
        for (const auto* folder : {"/a", "/b"}) {
          auto names = value_of(directory(folder)->list());
          // The failed call may be the removal of the lock file, which then belongs to no process.
          std::erase(names, ".volume.lock");
          ASSERT_LE(names.size(), 1U) << "call " << call << " leaves " << names.back();
        }
      }
      EXPECT_TRUE(faults > 2 || !is_copied);
    }
  }
}

// A build that ends meanwhile puts a new volume at the old place.
TEST_F(VolumeMoveTest, RemovesNothingThatCameMeanwhile) {
  const auto newer = pattern(100, 8);
  HookEnv env(*env_, no_links);
  reader::MoveOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (done != total) return;
    const auto file = value_of(env_->create_unnamed("/a"));
    expect_ok(file->write_at(0, newer));
    expect_ok(env_->publish(*file, kFrom));
  };
  const auto moved = reader::move_volume_file(env, kFrom, kTo, options);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::kChanged);
  EXPECT_EQ(read_file(*env_, kFrom), newer);
}

TEST_F(VolumeMoveTest, IsRefusedWhileABuildWritesEitherFile) {
  for (const std::string path : {kFrom, kTo}) {
    const auto lock = value_of(storage::NameLock::take(*env_, path));
    const auto moved = reader::move_volume_file(*env_, kFrom, kTo, {});
    ASSERT_FALSE(moved);
    EXPECT_EQ(moved.error().kind(), ErrorKind::kBusy);
    EXPECT_EQ(moved.error().file(), path);
    EXPECT_EQ(read_file(*env_, kFrom), content_);
  }
}

TEST_F(VolumeMoveTest, NamesAPlaceThatIsNone) {
  for (const std::string path : {"", "/b/.."}) {
    const auto moved = reader::move_volume_file(*env_, kFrom, path, {});
    ASSERT_FALSE(moved);
    EXPECT_EQ(moved.error().message(), (path.empty() ? "''" : path) + ": is not a file name");
  }
}

TEST_F(VolumeMoveTest, EndsWhenAskedTo) {
  HookEnv env(*env_, no_links);
  std::atomic<bool> stop = false;
  reader::MoveOptions options;
  options.stop = &stop;
  for (const auto stop_at : {std::uint64_t{0}, std::uint64_t{1}, 2 * content_.size() - 1}) {
    stop = stop_at == 0;
    options.progress = [&](std::uint64_t done, std::uint64_t) { stop = done >= stop_at; };
    const auto moved = reader::move_volume_file(env, kFrom, kTo, options);
    ASSERT_FALSE(moved) << stop_at;
    EXPECT_EQ(moved.error().kind(), ErrorKind::kInterrupted);
    EXPECT_FALSE(env_->status(kTo));
    EXPECT_EQ(read_file(*env_, kFrom), content_);
  }
}

}  // namespace
}  // namespace dgfs::test
