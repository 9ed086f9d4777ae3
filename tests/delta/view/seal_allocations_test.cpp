// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each allocation of a seal of a view fails in turn. The seal returns an error or a layer, and the
// view goes on, or refuses changes until it is opened again, and then has all that was durable.
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "tests/delta/view/view_fixture.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using view::kRoot;

TEST(SealAllocations, EachFailureLeavesAWholeTree) {
  int refused = 0;
  int poisoned = 0;
  int sealed = 0;
  bool has_failed = true;
  for (std::uint64_t at = 1; has_failed; ++at) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    ViewedTree tree;
    tree.view_options().numbers_reserved = 4;
    tree.open();
    // The first seal replaces the manifest, which the disk in memory cannot do without memory.
    value_of(tree.view().create(kRoot, "first", {}, {}));
    tree.seal_live();
    tree.wait_until_closed();
    value_of(tree.view().create(kRoot, "durable", {}, {}));
    expect_ok(tree.view().sync());
    std::optional<bool> has_sealed;
    {
      const FailingHeap heap(at);
      try {
        has_sealed = tree.view().seal({}).has_value();
      } catch (const std::bad_alloc&) {
        has_sealed = false;
      }
      while (!tree.view().closing_state()) std::this_thread::yield();
      has_failed = heap.failed();
    }
    // So many new objects need numbers beyond those that were kept for the time of the seal.
    bool takes_changes = true;
    for (int i = 0; takes_changes && i < 100; ++i) {
      takes_changes = tree.view().create(kRoot, "n" + std::to_string(i), {}, {}).has_value();
    }
    if (*has_sealed) {
      ++sealed;
      EXPECT_TRUE(takes_changes);
    } else {
      takes_changes ? ++refused : ++poisoned;
    }
    if (takes_changes) {  // otherwise the store may be torn, and refuses reads as well
      EXPECT_TRUE(tree.view().lookup(kRoot, "durable"));
    }
    tree.reopen_after_failure();
    EXPECT_TRUE(tree.view().lookup(kRoot, "durable"));
    value_of(tree.view().create(kRoot, "again", {}, {}));
    EXPECT_TRUE(value_of(tree.view().seal({})).outcome);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(refused, 30);
  EXPECT_GT(sealed, 30);
  RecordProperty("poisoned", poisoned);
}

}  // namespace
}  // namespace dgfs::test
