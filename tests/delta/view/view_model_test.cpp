// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random operations on a view and on a plain tree, which must answer alike: over one store and over
// several, opened again and sealed in between.
#include "tests/delta/view/view_fixture.h"
#include "tests/delta/view/view_operations.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

// A few of everything.
void fill(PackedTree& tree) {
  for (const char* directory : {"a", "b", "a/a", "a/a/b", "c"}) tree.directory(directory);
  for (const char* file : {"f", "a/f", "a/g", "a/a/f", "a/a/b/f", "c/f"}) tree.file(file, file);
  tree.link("f", "b/f");
  tree.link("f", "a/a/linked");
  tree.link("a/g", "a/h");
  tree.symlink("a/l", "../f");
  tree.symlink("s", std::string(300, 's'));
}

void run(std::uint64_t seed, int steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  ViewedTree viewed;
  fill(viewed.tree());
  viewed.open();
  ViewOperations operations(viewed.view(), viewed.image(), viewed.clock(), random);
  for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
    operations.step();
    if (random.one_in(40)) operations.expect_equal();
    if (random.one_in(90)) {
      random.one_in(2) ? viewed.seal() : viewed.reopen();
      operations.reopened(viewed.view(), ModelTree(operations.model()));
      operations.expect_equal();
    }
  }
  operations.expect_equal();
}

TEST(ViewModel, AnswersLikeAPlainTree) {
  for (std::uint64_t seed = 0; seed < 60 && !testing::Test::HasFailure(); ++seed) {
    run(seed, 400);
  }
}

}  // namespace
}  // namespace dgfs::test
