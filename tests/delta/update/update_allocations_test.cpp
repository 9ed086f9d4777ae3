// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memory that an update cannot get, at each of its allocations in turn: the delta shows the tree of
// before, or that of the source.
#include <gtest/gtest.h>

#include <map>
#include <new>
#include <optional>
#include <string>

#include "tests/delta/update/updated_tree.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

constexpr std::uint64_t kAllocationsBetween = 7;

TEST(UpdateAllocations, FailInTurn) {
  UpdatedTree tree;
  tree.source().directory("a directory whose name no string holds without the heap");
  tree.source().file("f", std::string(900, 'w'));
  tree.source().file("g", pattern(3000, 1));
  tree.pack();
  tree.file("f", std::string(800, 'v'));
  tree.source().link("f", "another name that no string holds without it");
  tree.remove("g");
  const auto before = tree_shown(tree.memory());
  const auto whole = tree.memory().snapshot();
  value_of(tree.try_update(request_of(), whole.get()));
  const auto after = tree_shown(*whole);
  int olds = 0;
  int news = 0;
  bool has_failed = true;
  for (std::uint64_t at = 1; has_failed; at += kAllocationsBetween) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    const auto disk = tree.memory().snapshot();
    {
      const FailingHeap heap(at);
      try {
        static_cast<void>(tree.try_update(request_of(), disk.get()));
      } catch (const std::bad_alloc&) {  // the file system in memory lacks memory, too
      }
      has_failed = heap.failed();
    }
    const auto shown = tree_shown(*disk);
    olds += shown == before ? 1 : 0;
    news += shown == after ? 1 : 0;
    ASSERT_TRUE(shown == before || shown == after);
  }
  EXPECT_GT(olds, 100);
  EXPECT_GT(news, 0);
}

}  // namespace
}  // namespace dgfs::test
