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
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// What is merged.
struct FaultShape {
  const char* name = "";
  MergeKind kind = MergeKind::kKeeps;
  bool has_volumes = false;  ///< and compressed contents
  bool was_merged = false;   ///< the image has volumes of another, which is folded
  friend void PrintTo(const FaultShape& shape, std::ostream* out) { *out << shape.name; }
};

class MergeFaults : public testing::TestWithParam<FaultShape> {
 protected:
  MergeFaults() {
    make_tree();
    changed_.change([](view::View& view) {
      write_at(view, object_at(view, "d/f2"), 100, "changed");
      write_at(view, object_at(view, "h"), 20'000, "changed");
      make_file(view, "new", "made here");
      remove_name(view, "d/f3");
      move_name(view, "d/f4", "moved");
    });
    if (GetParam().was_merged) {
      auto first = plan();
      first.build.image_path = kFirst;
      changed_.merge(first);
      changed_.go_on(kFirst);
      changed_.change(
          [](view::View& view) { make_file(view, "more", as_text(pattern(90'000, 3))); });
    }
    before_ = files_of(changed_.memory());
    whole_.push_back(merge_all(*disk()));
    EXPECT_EQ(whole_.front().size(), before_.size() + (GetParam().has_volumes ? 3 : 2));
    if (GetParam().was_merged) add_unfolded();
  }

  /// Image and delta on a disk of their own.
  std::unique_ptr<storage::MemoryEnv> disk() { return changed_.memory().snapshot(); }
  static MergePlan plan() {
    auto plan = plan_of(GetParam().kind);
    if (!GetParam().has_volumes) return plan;
    plan.build.compression = builder::Compression{3};
    plan.build.volume_paths = {"/out/new.1"};
    return plan;
  }
  Result<builder::BuildReport> try_merge(storage::Env& env) {
    return merge_files(env, changed_.sources(), plan());
  }

  /// Files of a disk without those that a merge has not named yet.
  static Files named_files_of(storage::MemoryEnv& disk) {
    auto files = files_of(disk);
    std::erase_if(files, [](const auto& file) { return file.first.starts_with("out/.new."); });
    return files;
  }
  static bool is_output(const std::string& path) { return path.starts_with("out/new."); }
  static Files inputs_of(storage::MemoryEnv& disk) {
    auto files = named_files_of(disk);
    std::erase_if(files, [](const auto& file) { return is_output(file.first); });
    return files;
  }
  [[nodiscard]] bool is_whole(const Files& files) const {
    return std::ranges::find(whole_, files) != whole_.end();
  }

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
      ASSERT_TRUE(merged ? is_whole(files) : files == before_) << "merged: " << merged;
      ASSERT_TRUE(merged || fired);
    }
    EXPECT_GT(failures, failures_min);
  }

  /// Readers find what has its name, and further volumes that have none yet.
  void expect_whole(storage::MemoryEnv& disk) {
    const auto files = named_files_of(disk);
    EXPECT_TRUE(std::ranges::any_of(whole_, [&](const Files& whole) {
      return std::ranges::all_of(files, [&](const auto& file) {
        const auto found = whole.find(file.first);
        return found != whole.end() && found->second == file.second;
      });
    }));
    const auto image = value_of(reader::Image::open(disk, kNew));
    reader::VerifyOptions options;
    options.jobs = 1;
    EXPECT_TRUE(value_of(reader::verify(*image, options)).sound());
  }

  ChangedTree changed_;
  Files before_;
  /// With the outputs: of a merge without faults; and of one that could not read what it folds, and
  /// keeps it.
  std::vector<Files> whole_;

 private:
  static constexpr const char* kFirst = "/out/first.dgfs";

  void make_tree() {
    auto& tree = changed_.tree();
    tree.directory("d");
    for (int i = 0; i < 5; ++i) {
      tree.file("d/f" + std::to_string(i), std::string(700U * static_cast<unsigned>(i), 'a'));
    }
    tree.file("g", pattern(70'000, 1));
    tree.link("g", "d/g");
    tree.file("h", pattern(40'000, 2));
    if (GetParam().has_volumes) {
      changed_.build_options().compression = builder::Compression{3};
      changed_.build_options().volume_paths = {"/out/t.1"};
      changed_.build_options().volume_groups = builder::GroupLimits{2, 100'000};
    }
    changed_.pack();
  }
  Files merge_all(storage::MemoryEnv& disk) {
    value_of(try_merge(disk));
    auto files = before_;
    for (auto& [path, bytes] : files_of(disk)) {
      if (is_output(path)) files[path] = std::move(bytes);
    }
    return files;
  }
  void add_unfolded() {
    const auto damaged = disk();
    const auto image = value_of(reader::Image::open(*damaged, kFirst));
    const auto place = value_of(image->locate(value_of(image->lookup("new")), 0));
    const auto file = value_of(damaged->open(place.file, {storage::OpenOptions::Mode::kReadWrite}));
    expect_ok(file->write_at(place.offset_bytes, as_bytes(std::string_view("M"))));
    whole_.push_back(merge_all(*damaged));
    EXPECT_FALSE(whole_.front() == whole_.back());
  }
};

INSTANTIATE_TEST_SUITE_P(Shapes, MergeFaults,
                         testing::Values(FaultShape{"Keeps"},
                                         FaultShape{"KeepsVolumes", MergeKind::kKeeps, true},
                                         FaultShape{"Repacks", MergeKind::kRepacks},
                                         FaultShape{"RepacksVolumes", MergeKind::kRepacks, true},
                                         FaultShape{"Folds", MergeKind::kKeeps, false, true}),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST_P(MergeFaults, AnIoErrorLeavesNothing) { fail_every_call(FaultKind::kIoError, 50); }

TEST_P(MergeFaults, AFullDeviceLeavesNothing) { fail_every_call(FaultKind::kNoSpace, 10); }

TEST_P(MergeFaults, ATornWriteLeavesNothing) { fail_every_call(FaultKind::kTornWrite, 3); }

TEST_P(MergeFaults, AShortReadIsNoticed) { fail_every_call(FaultKind::kShortRead, 5); }

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
    ASSERT_TRUE(files_of(*disk) == (merged ? whole_.front() : before_));
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
    ASSERT_TRUE(files_of(*disk) == (merged ? whole_.front() : before_)) << merged.has_value();
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
      value_of(try_merge(*disk));
      ASSERT_TRUE(named_files_of(*disk) == whole_.front());
    }
    if (!fired) break;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(absent, 50U);
  EXPECT_GT(whole, 2U);
}

}  // namespace
}  // namespace dgfs::test
