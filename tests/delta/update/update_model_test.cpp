// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Updates from random trees: the delta shows what a build of the source has, names of one object
// included, and a second update changes no file.
#include <gtest/gtest.h>

#include "tests/delta/update/updated_tree.h"

namespace dgfs::test {
namespace {

constexpr int kUpdatesInARow = 6;

class UpdateModel : public testing::TestWithParam<int> {};

TEST_P(UpdateModel, IsLikeABuild) {
  Random random(9100 + static_cast<std::uint64_t>(GetParam()));
  UpdatedTree tree;
  RandomSource source(tree, random);
  for (int change = 0; change < 40; ++change) source.change();
  tree.pack();
  for (int update = 0; update < kUpdatesInARow; ++update) {
    SCOPED_TRACE("update " + std::to_string(update));
    const auto changes = random.below(random.one_in(3) ? 40 : 8);
    for (std::uint64_t change = 0; change < changes; ++change) source.change();
    auto request = request_of();
    request.compares_all = true;  // times are set back at random
    tree.update_whole(request);
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, UpdateModel, testing::Range(0, 12));

}  // namespace
}  // namespace dgfs::test
