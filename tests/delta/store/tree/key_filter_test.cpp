// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/key_filter.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "delta/store/run/run_builder.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

RunRef run_of_keys(const std::set<std::string>& keys) {
  RunBuilder points;
  for (const auto& key : keys) points.add_put(key, "value");
  return points.take();
}

TEST(KeyFilter, LetsKeysOfItsRunThroughAndFewOthers) {
  Random random(1);
  for (const std::size_t count : {1U, 2U, 7U, 100U, 5000U}) {
    std::set<std::string> keys;
    while (keys.size() < count) keys.insert("key" + std::to_string(random.below(1U << 30)));
    const auto run = run_of_keys(keys);
    const KeyFilter filter(*run);
    EXPECT_LE(filter.bits().size(), count * 14 / 8 + 1);
    for (const auto& key : keys) EXPECT_TRUE(filter.may_have(KeyFilter::hash(key)));
    EXPECT_EQ(KeyFilter(Buffer(filter.bits())), filter);
    if (count < 100) continue;
    int passed = 0;
    for (int i = 0; i < 10000; ++i) {
      passed += filter.may_have(KeyFilter::hash("other" + std::to_string(i))) ? 1 : 0;
    }
    EXPECT_LT(passed, 40);
  }
}

TEST(KeyFilter, OfNoKeysLetsNoneThrough) {
  const KeyFilter filter(*empty_run());
  EXPECT_FALSE(filter.may_have(KeyFilter::hash("key")));
  EXPECT_TRUE(KeyFilter().may_have(KeyFilter::hash("key")));
}

}  // namespace
}  // namespace dgfs::test
