// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/object_key.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

// Few bytes, many of them zeros, and many ends.
std::string random_key(Random& random) {
  static constexpr std::string_view kBytes("\0\1\2\x7f\xff", 5);
  std::string key;
  for (auto length = random.below(12); length > 0; --length) {
    key += kBytes[static_cast<std::size_t>(random.below(kBytes.size()))];
  }
  return key;
}

TEST(ObjectKey, HasClassAndObject) {
  EXPECT_EQ(object_key(7, 0x0102030405060708, "name"), "\7\1\2\3\4\5\6\7\10name");
  EXPECT_EQ(prefix_of(object_key(7, UINT64_MAX - 1, "x")), (ObjectPrefix{7, UINT64_MAX - 1}));
  EXPECT_EQ(prefix_of("\7"), (ObjectPrefix{7, 0}));
  EXPECT_EQ(prefix_of(""), (ObjectPrefix{0, 0}));
}

TEST(ObjectKey, PrefixesStandInTheOrderOfKeys) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto a = random_key(random);
    const auto b = random_key(random);
    if (a <= b) {
      ASSERT_LE(prefix_of(a), prefix_of(b));
    }
    ASSERT_EQ(first_key_of(prefix_of(b)) <= a, prefix_of(b) <= prefix_of(a));
  }
}

TEST(ObjectKey, IsYoungByItsObject) {
  const auto highest = object_key(1, UINT64_MAX);
  EXPECT_TRUE(is_young(highest, 0));
  EXPECT_TRUE(is_young(highest, 7));
  EXPECT_TRUE(is_young(object_key(1, 7), 7));
  EXPECT_FALSE(is_young(object_key(1, 6), 7));
  EXPECT_FALSE(is_young(highest, UINT64_MAX));
}

// A key is covered afterwards if it was covered before and is not young.
TEST(OverOlderObjects, KeepsWhatCoversKeysThatAreNotYoung) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    RangeTombstones all;
    for (auto count = random.below(5); count > 0; --count) {
      KeyRange range{random_key(random), random_key(random)};
      if (random.one_in(10)) range.end.reset();
      if (!range.empty()) all.add(range);
    }
    const auto born = random.one_in(2) ? prefix_of(random_key(random)).object : random.below(3);
    const auto older = over_older_objects(all, born);
    for (int i = 0; i < 200; ++i) {
      const auto key = random_key(random);
      ASSERT_EQ(older.covers(key), all.covers(key) && !is_young(key, born)) << seed;
    }
  }
}

}  // namespace
}  // namespace dgfs::test
