// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each allocation of a join fails in turn: it is refused or made, and the delta shows the same
// tree.
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "tests/delta/layer/joined_delta.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using namespace delta;

class JoinAllocations : public JoinedDelta {};

TEST_F(JoinAllocations, EachFailureLeavesAWholeTree) {
  add_four({"", "", "", "four"});
  const auto shown = tree();
  const auto start = disk_->snapshot();
  int refused = 0;
  int joined = 0;
  bool has_failed = true;
  for (std::uint64_t at = 1; has_failed; at += at < 400 ? 1 : 7) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    disk_ = start->snapshot();
    {
      const FailingHeap heap(at);
      try {
        layer::join_offline(*disk_, "/d", {}) ? ++joined : ++refused;
      } catch (const std::bad_alloc&) {
        ++refused;
      }
      has_failed = heap.failed();
    }
    EXPECT_EQ(tree(), shown);
    { EXPECT_NE(open(), nullptr); }
    expect_tidy();
    EXPECT_EQ(tree_of_state("four"), shown);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(refused, 300);
  EXPECT_GE(joined, 1);
}

}  // namespace
}  // namespace dgfs::test
