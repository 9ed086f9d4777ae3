// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/scan_ahead.h"

#include <gtest/gtest.h>

#include <string>

#include "storage/memory/env.h"
#include "tests/builder/source_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using builder::AheadOptions;
using builder::EntryReader;
using builder::ListedDirectory;
using builder::ScanAhead;

std::string prefix_of(std::string path) {
  std::replace(path.begin(), path.end(), '/', '\0');
  return path + '\0';
}

class ScanAheadTest : public testing::Test {
 protected:
  /// Takes the directory once a thread has begun it.
  std::optional<ListedDirectory> take(ScanAhead& ahead, const std::string& path) {
    return ahead.take(prefix_of(path));
  }
  std::string names_of(const ListedDirectory& directory) {
    std::string names;
    for (const auto& entry : directory.entries) names += entry.name + (entry.error ? "! " : " ");
    return names;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
  std::unique_ptr<storage::Directory> root_ = env_->open_directory("/src").value();
  builder::BuildOptions options_ = options_for(tree_, "/i");
  EntryReader entries_{options_, {}};
};

TEST_F(ScanAheadTest, NeverHasAnythingWithoutThreads) {
  tree_.directory("a");
  ScanAhead ahead(*root_, entries_, {}, builder::StopFlag());
  ahead.start();
  ahead.add(prefix_of("a"));
  EXPECT_FALSE(take(ahead, "a"));
}

TEST_F(ScanAheadTest, ListsWhatItIsToldAndWhatIsBelow) {
  for (const char* const name : {"a", "a/x", "b"}) tree_.directory(name);
  for (const char* const name : {"a/2", "a/1", "a/x/deep"}) tree_.file(name, "content");
  tree_.symlink("b/link", "target");
  AheadOptions options;
  options.threads = 3;
  ScanAhead ahead(*root_, entries_, options, builder::StopFlag());
  ahead.start();
  // A directory that no thread has begun is left to the caller, which adds it again as a new scan
  // does.
  const auto listed = [&](const std::string& path) {
    while (true) {
      ahead.add(prefix_of(path));
      if (auto directory = take(ahead, path)) return std::move(*directory);
    }
  };
  const auto a = listed("a");
  EXPECT_FALSE(a.error);
  EXPECT_EQ(names_of(a), "1 2 x ");
  EXPECT_EQ(builder::identity_of(a.status), builder::identity_of(root_->status("a").value()));
  EXPECT_EQ(names_of(listed("a/x")), "deep ");
  const auto b = listed("b");
  ASSERT_EQ(b.entries.size(), 1U);
  EXPECT_EQ(b.entries[0].target, "target");
  EXPECT_TRUE(listed("missing").error);
}

TEST_F(ScanAheadTest, LeavesLargeDirectoriesToTheScan) {
  tree_.directory("large");
  for (std::size_t i = 0; i <= ScanAhead::kNamesMax; ++i) {
    tree_.file("large/" + std::to_string(i), "");
  }
  AheadOptions options;
  options.threads = 1;
  ScanAhead ahead(*root_, entries_, options, builder::StopFlag());
  ahead.start();
  for (int i = 0; i < 5; ++i) {
    ahead.add(prefix_of("large"));
    EXPECT_FALSE(take(ahead, "large"));
  }
}

TEST_F(ScanAheadTest, StopsWhereMemoryEndsUntilSomethingIsTaken) {
  std::atomic<int> listed = 0;
  HookEnv hook(*env_, [&](storage::CallKind kind, const std::string& path) {
    if (kind == storage::CallKind::kOther && path.ends_with("/f")) ++listed;
    return Status(ok());
  });
  for (int i = 10; i < 30; ++i) {
    tree_.directory(std::to_string(i));
    tree_.file(std::to_string(i) + "/f", "");
  }
  const auto root = hook.open_directory("/src").value();
  AheadOptions options;
  options.threads = 2;
  options.memory_bytes = 1;
  ScanAhead ahead(*root, entries_, options, builder::StopFlag());
  ahead.start();
  for (int i = 10; i < 30; ++i) ahead.add(prefix_of(std::to_string(i)));
  // Each of the two threads may have begun a directory before the other's result was there.
  int taken = 0;
  for (int i = 10; i < 30; ++i) taken += take(ahead, std::to_string(i)) ? 1 : 0;
  EXPECT_LE(listed.load() / 2, taken + 4)
      << "each file counts twice, for its status and its attributes";
}

}  // namespace
}  // namespace dgfs::test
