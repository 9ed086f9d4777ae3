// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memory that a merge cannot get: at each of its allocations, and at each storage call of opening
// and merging. The new image is whole or absent, and image and delta stay as they are.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <new>
#include <optional>
#include <string>

#include "format/entry/mode.h"
#include "storage/posix/env.h"
#include "tests/delta/merge/changed_tree.h"
#include "tests/support/failing_heap.h"
#include "tests/support/hook_env.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using Files = std::map<std::string, std::string>;

void copy_tree(const storage::Directory& from, storage::Directory& to) {
  for (const auto& name : value_of(from.list())) {
    const auto mode = value_of(from.status(name)).mode;
    if (format::is_directory(mode)) {
      expect_ok(to.make_directory(name, 0700));
      copy_tree(*value_of(from.open_directory(name)), *value_of(to.open_directory(name)));
      continue;
    }
    const auto file = value_of(from.open_file(name));
    Buffer bytes(value_of(file->size()));
    expect_ok(storage::read_exactly(*file, 0, bytes));
    expect_ok(value_of(to.create_file(name, 0600))->write_at(0, bytes));
  }
}

// Parameter: what happens to the contents. On real files, because the disk in memory needs memory,
// too.
class MergeAllocations : public testing::TestWithParam<MergeKind> {
 protected:
  MergeAllocations() {
    auto& tree = changed_.tree();
    tree.directory("a directory whose name no string holds without the heap");
    tree.file("f", std::string(900, 'w'));
    tree.file("g", pattern(70'000, 1));
    tree.link("g", "another name that no string holds without it");
    tree.file("h", pattern(700, 2));
    changed_.pack();
    changed_.change([](view::View& view) {
      write_at(view, object_at(view, "f"), 100, "changed");
      make_file(view, "new", "made here");
      expect_ok(view.set_xattr(object_at(view, "h"), "user.long enough for the heap", {}));
      move_name(view, "h", "moved");
    });
    for (const char* name : {"out", "delta"}) {
      expect_ok(env_->make_directory(folder_ / name, 0700));
      copy_tree(*value_of(changed_.memory().open_directory("/" + std::string(name))),
                *value_of(env_->open_directory(folder_ / name)));
    }
    sources_.image_path = folder_.path() + kImage;
    sources_.delta_path = folder_ / "delta";
    plan_ = plan_of(GetParam());
    plan_.build.image_path = folder_.path() + kNew;
    before_ = files();
    value_of(merge_files(*env_, sources_, plan_));
    whole_ = files();
    EXPECT_EQ(whole_.size(), before_.size() + 2);
    remove_outputs();
  }

  [[nodiscard]] Files files() {
    return tree_below(*value_of(env_->open_directory(folder_.path())));
  }
  void remove_outputs() {
    for (const char* suffix : {"", ".idx"}) {
      expect_ok(env_->remove(plan_.build.image_path + suffix));
    }
  }
  /// Runs `merge`, which may throw what memory is lacking; nothing: it did.
  template <class Merge>
  static std::optional<Result<builder::BuildReport>> run(const Merge& merge) {
    try {
      return merge();
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
  }
  /// Returns whether the merge has succeeded.
  bool expect_whole_or_absent(const std::optional<Result<builder::BuildReport>>& merged) {
    const bool succeeded = merged && *merged;
    EXPECT_TRUE(files() == (succeeded ? whole_ : before_)) << "succeeded: " << succeeded;
    if (merged && !succeeded) {
      EXPECT_EQ(merged->error().kind(), ErrorKind::kLimit) << merged->error().message();
    }
    if (succeeded) remove_outputs();
    return succeeded;
  }

  ChangedTree changed_;
  TempDir folder_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  MergeSources sources_;
  MergePlan plan_;
  Files before_;
  Files whole_;
};

std::string name_of_kind(const testing::TestParamInfo<MergeKind>& info) {
  const std::array names = {"Keeps", "Repacks", "Renumbers"};
  return names.at(static_cast<std::size_t>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Kinds, MergeAllocations,
                         testing::Values(MergeKind::kKeeps, MergeKind::kRepacks,
                                         MergeKind::kRenumbers),
                         name_of_kind);

TEST_P(MergeAllocations, FailAtEachStorageCall) {
  int failures = 0;
  bool was_reached = true;
  for (std::uint64_t call = 1; was_reached; ++call) {
    SCOPED_TRACE("storage call " + std::to_string(call));
    std::atomic<std::uint64_t> calls = 0;
    std::optional<FailingHeap> heap;
    std::optional<Result<builder::BuildReport>> merged;
    {
      HookEnv env(*env_, [&](storage::CallKind, const std::string&) -> Status {
        if (++calls == call) heap.emplace(1);
        return ok();
      });
      merged = run([&] { return merge_files(env, sources_, plan_); });
    }
    was_reached = heap.has_value();
    heap.reset();
    failures += expect_whole_or_absent(merged) ? 0 : 1;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(failures, 100);
}

TEST_P(MergeAllocations, FailInTurn) {
  const auto opened = value_of(open_sources(*env_, sources_));
  int failures = 0;
  bool has_failed = true;
  for (std::uint64_t at = 1; has_failed; ++at) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    std::optional<Result<builder::BuildReport>> merged;
    {
      const FailingHeap heap(at);
      merged = run([&] { return merge_open(opened, *env_, plan_); });
      has_failed = heap.failed();
    }
    failures += expect_whole_or_absent(merged) ? 0 : 1;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(failures, 200);
}

}  // namespace
}  // namespace dgfs::test
