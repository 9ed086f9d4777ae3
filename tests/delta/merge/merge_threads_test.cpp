// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Merges whose many threads read image and delta at once: the same bytes as on one thread. For the
// thread sanitizer, and for merges that end early.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <ostream>
#include <string>

#include "tests/delta/merge/changed_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

constexpr int kFiles = 300;

/// How image and merge are made.
struct ThreadShape {
  const char* name = "";
  MergeKind kind = MergeKind::kKeeps;
  bool compresses = false;
  std::size_t fragment_frame_bytes = 0;
  bool has_volumes = false;
  friend void PrintTo(const ThreadShape& shape, std::ostream* out) { *out << shape.name; }
};

std::string file_path(int file) {
  return "d" + std::to_string(file % 7) + "/" + std::to_string(file);
}

std::string text_of(int file) {
  std::string text;
  for (int i = 0; i < 10 + file; ++i) text += "line " + std::to_string(i * file) + "\n";
  return text;
}

class MergeThreads : public testing::TestWithParam<ThreadShape> {
 protected:
  MergeThreads() {
    auto& tree = changed_.tree();
    for (int d = 0; d < 7; ++d) tree.directory("d" + std::to_string(d));
    for (int i = 0; i < kFiles; ++i) tree.file(file_path(i), text_of(i));
    tree.file("large", pattern(2'000'000, 1));
    set(changed_.build_options());
    if (GetParam().has_volumes) changed_.build_options().volume_paths = {"/out/t.1"};
    changed_.pack();
    changed_.change([](view::View& view) {
      for (int i = 0; i < kFiles; i += 2) {
        const auto file = object_at(view, file_path(i));
        write_at(view, file, static_cast<std::uint64_t>(i), "changed");
        if (i % 20 == 0) value_of(view.link(file, view::kRoot, "name " + std::to_string(i)));
      }
      for (int i = 1; i < kFiles; i += 10) remove_name(view, file_path(i));
      for (int i = 0; i < 30; ++i) make_file(view, "new " + std::to_string(i), text_of(2 * i));
      write_at(view, object_at(view, "large"), 1'000'000, "changed");
    });
  }
  static void set(builder::BuildOptions& options) {
    if (GetParam().compresses) {
      options.compression.emplace();
      options.compression->level = 1;
      options.compression->fragment_frame_bytes = GetParam().fragment_frame_bytes;
    }
    options.digest = format::DigestAlgorithm::kSha256;
  }
  static MergePlan plan(unsigned jobs, std::size_t memory_bytes) {
    auto plan = plan_of(GetParam().kind);
    set(plan.build);
    plan.build.jobs = jobs;
    plan.build.memory_bytes = memory_bytes;
    if (GetParam().has_volumes) {
      plan.build.volume_paths = {"/out/new.1"};
      plan.build.volume_groups = builder::GroupLimits{20, 100'000};
    }
    return plan;
  }
  std::map<std::string, std::string> outputs() {
    auto files = tree_below(*value_of(changed_.memory().open_directory("/out")));
    std::erase_if(files, [](const auto& file) { return !file.first.starts_with("new."); });
    return files;
  }

  ChangedTree changed_;
};

TEST_P(MergeThreads, GiveTheBytesOfOne) {
  const auto of_one = changed_.merge(plan(1, std::size_t{64} << 20));
  const auto expected = outputs();
  ASSERT_GE(expected.size(), 2U);
  for (const std::size_t memory_bytes : {std::size_t{16} << 20, std::size_t{64} << 20}) {
    const auto of_eight = changed_.merge(plan(8, memory_bytes));
    EXPECT_TRUE(outputs() == expected) << memory_bytes;
    EXPECT_EQ(of_eight.packed_files, of_one.packed_files);
    EXPECT_EQ(of_eight.kept_bytes, of_one.kept_bytes);
    EXPECT_EQ(of_eight.dead_bytes, of_one.dead_bytes);
  }
}

TEST_P(MergeThreads, EndTogetherWhenTheyAreStopped) {
  for (const int reads : {1, 40, 120}) {
    std::atomic<bool> stop = false;
    std::atomic<int> seen = 0;
    HookEnv env(changed_.memory(), [&](storage::CallKind kind, const std::string&) -> Status {
      if (kind == storage::CallKind::kRead && ++seen == reads) stop = true;
      return ok();
    });
    auto stopped = plan(8, std::size_t{16} << 20);
    stopped.build.stop = &stop;
    const auto merged = merge_files(env, changed_.sources(), stopped);
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().kind(), ErrorKind::kInterrupted) << merged.error().message();
    EXPECT_TRUE(outputs().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MergeThreads,
                         testing::Values(ThreadShape{"Keeps"},
                                         ThreadShape{"KeepsCompressed", MergeKind::kKeeps, true, 0,
                                                     true},
                                         ThreadShape{"KeepsFrames", MergeKind::kKeeps, true, 16384},
                                         ThreadShape{"Repacks", MergeKind::kRepacks, true},
                                         ThreadShape{"Renumbers", MergeKind::kRenumbers}),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace dgfs::test
