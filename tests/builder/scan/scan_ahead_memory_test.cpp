// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest.h>

#include <string>

#include "builder/scan/scan_ahead.h"
#include "storage/memory/env.h"
#include "tests/builder/source_tree.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using builder::ScanAhead;

// When a thread lacks memory for the subdirectories of a directory that it has listed, that
// directory must not stay begun for ever.
TEST(ScanAheadMemory, WhoWaitsForADirectoryIsNotKeptWaiting) {
  const auto env = storage::make_memory_env(1);
  SourceTree tree(*env, "/src");
  tree.directory("a");
  for (int i = 0; i < 40; ++i) tree.directory("a/a_long_name_of_a_directory" + std::to_string(i));
  const auto root = env->open_directory("/src").value();
  const auto options = options_for(tree, "/i");
  const builder::EntryReader entries(options, {});
  builder::AheadOptions ahead_options;
  ahead_options.threads = 1;
  const std::string prefix("a\0", 2);
  std::uint64_t failed = 0;
  for (std::uint64_t call = 1; call <= 400; ++call) {
    ScanAhead ahead(*root, entries, ahead_options, builder::StopFlag());
    ahead.start();
    ahead.add(prefix);
    const FailingHeap heap(call);
    try {
      while (!heap.failed() && !ahead.take(prefix)) ahead.add(prefix);
      static_cast<void>(ahead.take(prefix));
    } catch (const std::bad_alloc&) {  // thrown in this thread
    }
    failed += heap.failed() ? 1U : 0U;
  }
  EXPECT_GT(failed, 100U);
}

}  // namespace
}  // namespace dgfs::test
