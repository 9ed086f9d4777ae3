// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each storage call of a merge fails once, or is the last before a stop or a power cut: the new
// image is whole or absent, and image and delta stay as they are. A merge that succeeds writes the
// same bytes whatever has failed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <string>
#include <tuple>

#include "reader/check/verify.h"
#include "storage/memory/crash_loss.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/merge/changed_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;
using storage::FaultKind;
using Files = std::map<std::string, std::string>;

constexpr std::array kCrashLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                     CrashLoss::kRandomSubset, CrashLoss::kScattered};

Files files_of(storage::MemoryEnv& env) { return tree_below(*value_of(env.open_directory("/"))); }

// Parameters: what happens to the contents; whether they are compressed, over several volumes.
class MergeFaults : public testing::TestWithParam<std::tuple<MergeKind, bool>> {
 protected:
  static bool has_volumes() { return std::get<1>(GetParam()); }

  MergeFaults() {
    auto& tree = changed_.tree();
    tree.directory("d");
    for (int i = 0; i < 5; ++i) {
      tree.file("d/f" + std::to_string(i), std::string(700U * static_cast<unsigned>(i), 'a'));
    }
    tree.file("g", pattern(70'000, 1));
    tree.link("g", "d/g");
    tree.file("h", pattern(40'000, 2));
    if (has_volumes()) {
      changed_.build_options().compression = builder::Compression{3};
      changed_.build_options().volume_paths = {"/out/t.1"};
      changed_.build_options().volume_groups = builder::GroupLimits{2, 100'000};
    }
    changed_.pack();
    changed_.change([](view::View& view) {
      write_at(view, object_at(view, "d/f2"), 100, "changed");
      write_at(view, object_at(view, "h"), 20'000, "changed");
      make_file(view, "new", "made here");
      remove_name(view, "d/f3");
      move_name(view, "d/f4", "moved");
    });
    before_ = files_of(changed_.memory());
    const auto disk = this->disk();
    merge_on(*disk);
    whole_ = files_of(*disk);
    EXPECT_EQ(whole_.size(), before_.size() + (has_volumes() ? 3 : 2));
  }

  /// Image and delta on a disk of their own.
  std::unique_ptr<storage::MemoryEnv> disk() { return changed_.memory().snapshot(); }
  MergePlan plan() const {
    auto plan = plan_of(std::get<0>(GetParam()));
    if (!has_volumes()) return plan;
    plan.build.compression = builder::Compression{3};
    plan.build.volume_paths = {"/out/new.1"};
    return plan;
  }
  Result<builder::BuildReport> try_merge(storage::Env& env) {
    return merge_files(env, changed_.sources(), plan());
  }
  void merge_on(storage::Env& env) { value_of(try_merge(env)); }

  /// Fails one call after the other. @param failures_min  merges that must fail
  void fail_every_call(FaultKind kind, std::uint64_t failures_min) {
    std::uint64_t failures = 0;
    for (std::uint64_t call = 1;; ++call) {
      SCOPED_TRACE("call " + std::to_string(call));
      const auto disk = this->disk();
      const auto faulty = storage::make_faulty_env(*disk, call);
      faulty->arm({kind, call, false});
      const bool merged = try_merge(*faulty).has_value();
      const bool fired = faulty->fired() != 0;
      if (faulty->calls() < call) break;
      failures += merged ? 0 : 1;
      // A fault when a lock is removed leaves the lock, and harms nothing else.
      const auto files = merged ? named_files_of(*disk) : files_of(*disk);
      ASSERT_TRUE(files == (merged ? whole_ : before_)) << "merged: " << merged;
      ASSERT_TRUE(merged || fired);
    }
    EXPECT_GT(failures, failures_min);
  }

  /// Files of a disk without those that a merge has not named yet.
  static Files named_files_of(storage::MemoryEnv& disk) {
    auto files = files_of(disk);
    std::erase_if(files, [](const auto& file) { return file.first.starts_with("out/.new."); });
    return files;
  }
  static Files inputs_of(storage::MemoryEnv& disk) {
    auto files = named_files_of(disk);
    std::erase_if(files, [](const auto& file) { return file.first.starts_with("out/new."); });
    return files;
  }
  /// Readers find what has its name, and further volumes that have none yet.
  void expect_whole(storage::MemoryEnv& disk) {
    for (const auto& [path, bytes] : named_files_of(disk)) EXPECT_TRUE(bytes == whole_.at(path));
    const auto image = value_of(reader::Image::open(disk, kNew));
    reader::VerifyOptions options;
    options.jobs = 1;
    EXPECT_TRUE(value_of(reader::verify(*image, options)).sound());
  }

  ChangedTree changed_;
  Files before_;
  Files whole_;
};

INSTANTIATE_TEST_SUITE_P(
    Kinds, MergeFaults,
    testing::Combine(testing::Values(MergeKind::kKeeps, MergeKind::kRepacks), testing::Bool()),
    [](const auto& info) {
      const std::string kind = std::get<0>(info.param) == MergeKind::kKeeps ? "Keeps" : "Repacks";
      return kind + (std::get<1>(info.param) ? "CompressedOverVolumes" : "Raw");
    });

TEST_P(MergeFaults, AnIoErrorLeavesNothing) { fail_every_call(FaultKind::kIoError, 60); }

TEST_P(MergeFaults, AFullDeviceLeavesNothing) { fail_every_call(FaultKind::kNoSpace, 10); }

TEST_P(MergeFaults, ATornWriteLeavesNothing) { fail_every_call(FaultKind::kTornWrite, 3); }

TEST_P(MergeFaults, AShortReadIsNoticed) { fail_every_call(FaultKind::kShortRead, 10); }

TEST_P(MergeFaults, ADiskThatFillsUpLeavesNothing) {
  constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 40;
  const auto all = this->disk();
  all->set_capacity(kLargeBytes);
  const auto used = kLargeBytes - value_of(value_of(all->open(kImage))->free_bytes());
  int failures = 0;
  bool merged = false;
  for (std::uint64_t pages = 0; !merged; ++pages) {
    SCOPED_TRACE(std::to_string(pages) + " pages are free");
    const auto disk = this->disk();
    disk->set_capacity(used + pages * 4096);
    const auto report = try_merge(*disk);
    merged = report.has_value();
    if (!merged) {
      ++failures;
      EXPECT_EQ(report.error().kind(), ErrorKind::kNoSpace) << report.error().message();
    }
    ASSERT_TRUE(files_of(*disk) == (merged ? whole_ : before_));
    ASSERT_LT(pages, 1000U);
  }
  EXPECT_GT(failures, 5);
}

TEST_P(MergeFaults, AStopLeavesNothing) {
  std::uint64_t stops = 0;
  for (std::uint64_t call = 1;; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    const auto disk = this->disk();
    std::atomic<bool> stop = false;
    std::atomic<std::uint64_t> calls = 0;
    HookEnv env(*disk, [&](storage::CallKind, const std::string&) -> Status {
      if (++calls == call) stop = true;
      return ok();
    });
    auto stopped = plan();
    stopped.build.stop = &stop;
    const auto merged = merge_files(env, changed_.sources(), stopped);
    if (!merged) {
      ++stops;
      EXPECT_EQ(merged.error().kind(), ErrorKind::kInterrupted) << merged.error().message();
    }
    ASSERT_TRUE(files_of(*disk) == (merged ? whole_ : before_)) << merged.has_value();
    if (!stop) break;
  }
  EXPECT_GT(stops, 50U);
}

TEST_P(MergeFaults, APowerCutLeavesAWholeImageOrNone) {
  std::uint64_t whole = 0;
  std::uint64_t absent = 0;
  for (std::uint64_t call = 1;; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    const auto disk = this->disk();
    const auto faulty = storage::make_faulty_env(*disk, 1);
    faulty->arm({FaultKind::kStop, call, false});
    const bool merged = try_merge(*faulty).has_value();
    const bool fired = faulty->fired() != 0;
    disk->crash(kCrashLosses.at(call % kCrashLosses.size()), call);
    ASSERT_TRUE(inputs_of(*disk) == before_);
    const bool is_there = disk->status(kNew).has_value();
    is_there ? ++whole : ++absent;
    EXPECT_TRUE(is_there || !merged) << "a merge that has succeeded is durable";
    if (is_there) expect_whole(*disk);
    if (call % 7 == 0) {
      merge_on(*disk);
      ASSERT_TRUE(named_files_of(*disk) == whole_);
    }
    if (!fired) break;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(absent, 50U);
  EXPECT_GT(whole, 2U);
}

}  // namespace
}  // namespace dgfs::test
