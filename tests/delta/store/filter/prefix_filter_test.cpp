// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares the filter of prefixes with a std::set: no false negatives, few false positives.
#include "delta/store/filter/prefix_filter.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kAll = UINT64_MAX;

ObjectPrefix random_prefix(Random& random) {
  return {static_cast<std::uint8_t>(random.below(4)), random.below(std::uint64_t{1} << 40)};
}

// The share of false positives among 1,000,000 prefixes that the filter does not have.
double false_positives(const PrefixFilter& filter, const std::set<ObjectPrefix>& all,
                       Random& random) {
  constexpr int kQuestions = 1'000'000;
  int yes = 0;
  for (int asked = 0; asked < kQuestions;) {
    const auto prefix = random_prefix(random);
    if (all.contains(prefix)) continue;
    ++asked;
    yes += filter.may_have(prefix) ? 1 : 0;
  }
  return static_cast<double>(yes) / kQuestions;
}

class PrefixFilterSizes : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PrefixFilterSizes, NeverDeniesWhatItHasAndSeldomLetsOthersThrough) {
  Random random(1);
  PrefixFilter filter(kAll);
  std::set<ObjectPrefix> all;
  while (all.size() < GetParam()) {
    const auto prefix = random_prefix(random);
    filter.add(prefix);
    all.insert(prefix);
  }
  for (const ObjectPrefix& prefix : all) ASSERT_TRUE(filter.may_have(prefix));
  // A prefix that an earlier stage lets through falsely enters no stage.
  EXPECT_LE(filter.prefixes(), all.size());
  EXPECT_GE(static_cast<double>(filter.prefixes()), 0.99 * static_cast<double>(all.size()));
  const auto rate = false_positives(filter, all, random);
  const auto bound = 0.0011 * static_cast<double>(filter.stages());
  EXPECT_LE(rate, bound);
  const auto bits = 8.0 * static_cast<double>(filter.size_bytes());
  RecordProperty("stages", static_cast<int>(filter.stages()));
  RecordProperty("bits_a_prefix", std::to_string(bits / static_cast<double>(all.size())));
  RecordProperty("false_positives", std::to_string(rate));
}

INSTANTIATE_TEST_SUITE_P(Prefixes, PrefixFilterSizes,
                         testing::Values(1000, 65536, 400'000, 1'500'000));

TEST(PrefixFilter, TakesNoMemoryBeforeItHasAPrefix) {
  PrefixFilter filter(kAll);
  EXPECT_TRUE(filter.empty());
  EXPECT_EQ(filter.size_bytes(), 0U);
  EXPECT_FALSE(filter.may_have(ObjectPrefix{1, 2}));
  filter.add("key");
  EXPECT_EQ(filter.size_bytes(), FilterStage::bytes_of(PrefixFilter::kFirstCapacity));
}

TEST(PrefixFilter, KnowsNothingOfYoungObjects) {
  PrefixFilter none(0);
  none.add("key");
  none.add_all();
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.may_have(ObjectPrefix{1, 2}));

  PrefixFilter some(100);
  some.add(ObjectPrefix{1, 100});
  some.add(KeyRange{object_key(1, 100), first_key_of({2, 0})});
  some.add(KeyRange{object_key(255, 200), std::nullopt});
  EXPECT_TRUE(some.empty());
  EXPECT_TRUE(some.may_have(ObjectPrefix{1, 100}));
  EXPECT_TRUE(some.may_have(ObjectPrefix{7, UINT64_MAX}));
  EXPECT_FALSE(some.may_have(ObjectPrefix{1, 99}));
  some.add(ObjectPrefix{1, 99});
  EXPECT_TRUE(some.may_have(ObjectPrefix{1, 99}));
  EXPECT_EQ(some.prefixes(), 1U);
}

TEST(PrefixFilter, GrowsByStages) {
  PrefixFilter filter(kAll, 20);
  for (std::uint64_t object = 0; object < 1000; ++object) filter.add(ObjectPrefix{1, object});
  ASSERT_GE(filter.stages(), 5U);
  for (std::size_t at = 0; at < filter.stages(); ++at) {
    EXPECT_EQ(filter.stage(at).capacity(), std::uint64_t{32} << at);
    EXPECT_EQ(filter.stage(at).is_full(), at + 1 < filter.stages());
  }
  EXPECT_EQ(filter.capacity_after(1024), 2048U);
  EXPECT_EQ(filter.capacity_after(2048), 2048U);
  EXPECT_EQ(filter.capacity_after(1 << 20), std::uint64_t{1} << 20);  // with other options
  EXPECT_EQ(PrefixFilter(kAll).capacity_after(FilterStage::kCapacityMax),
            FilterStage::kCapacityMax);
}

// A repeated prefix, or one that the filter already lets through, takes no space.
TEST(PrefixFilter, HasEachPrefixOnce) {
  PrefixFilter filter(kAll, 32);
  for (int round = 0; round < 100; ++round) {
    for (std::uint64_t object = 0; object < 20; ++object) {
      filter.add(object_key(1, object, "name"));
      filter.add(object_key(1, object, "other"));
    }
  }
  EXPECT_LE(filter.prefixes(), 20U);
}

TEST(PrefixFilter, LetsAllThroughWhenItsStagesAreFull) {
  PrefixFilter filter(kAll, 32);
  std::uint64_t object = 0;
  while (filter.ranges() == nullptr && object < 1'000'000) filter.add(ObjectPrefix{1, ++object});
  EXPECT_EQ(filter.stages(), PrefixFilter::kStagesMax);
  EXPECT_GT(object, 100'000U);
  EXPECT_TRUE(filter.may_have_all(OlderObjects(kAll).all()));
  const auto prefixes = filter.prefixes();
  filter.add(ObjectPrefix{2, 1});
  EXPECT_EQ(filter.prefixes(), prefixes);
}

// The end of one object's range is the first key of the next object.
TEST(PrefixFilter, HasTheObjectOfARangeAsAPrefix) {
  PrefixFilter filter(1000);
  for (std::uint64_t object = 100; object < 600; object += 2) {
    filter.add(KeyRange{object_key(3, object), object_key(3, object + 1)});
    filter.add(KeyRange{object_key(4, object, "a"), object_key(4, object, "b")});
  }
  EXPECT_EQ(filter.ranges(), nullptr);
  for (std::uint64_t object = 100; object < 600; object += 2) {
    EXPECT_TRUE(filter.may_have(ObjectPrefix{3, object}));
    EXPECT_TRUE(filter.may_have(ObjectPrefix{4, object}));
  }
  EXPECT_LE(filter.prefixes(), 510U);  // a range that may include shorter keys counts twice
  filter.add(KeyRange{object_key(5, 0), object_key(6, 0)});
  ASSERT_NE(filter.ranges(), nullptr);
  EXPECT_TRUE(filter.may_have(ObjectPrefix{5, 999}));
  EXPECT_FALSE(filter.may_have(ObjectPrefix{6, 1}));
}

// A random key of a few classes and objects, whole or cut.
std::string random_short_key(Random& random) {
  auto key = object_key(static_cast<std::uint8_t>(random.one_in(5) ? 255 : random.below(3)),
                        random.one_in(5) ? UINT64_MAX - random.below(3) : random.below(20),
                        random.one_in(2) ? "" : "r");
  if (random.one_in(4)) key.resize(random.below(key.size()));
  return key;
}

TEST(OlderObjects, ArePrefixesOfAllKeysOfARange) {
  Random random(2);
  std::vector<std::string> keys;
  for (int i = 0; i < 300; ++i) keys.push_back(random_short_key(random));
  for (int round = 0; round < 2000; ++round) {
    const OlderObjects older(random.one_in(3) ? kAll : 1 + random.below(20));
    KeyRange range{random_short_key(random), random_short_key(random)};
    if (random.one_in(10)) range.end.reset();
    const auto prefixes = older.prefixes_of(range);
    for (const std::string& key : keys) {
      const auto prefix = prefix_of(key);
      if (!range.contains(key) || !older.contains(prefix.object)) continue;
      ASSERT_TRUE(prefixes && prefixes->contains(prefix));
    }
    if (!prefixes) continue;
    ASSERT_LE(prefixes->first, prefixes->last);
    ASSERT_TRUE(older.contains(prefixes->first.object));
    ASSERT_TRUE(older.contains(prefixes->last.object));
  }
}

TEST(PrefixRanges, HaveWhatWasAddedInOrderAndApart) {
  Random random(3);
  for (const std::uint64_t born : {kAll, std::uint64_t{50}, std::uint64_t{1}}) {
    const OlderObjects older(born);
    PrefixRanges ranges;
    std::set<ObjectPrefix> expected;
    for (int i = 0; i < 40; ++i) {
      const ObjectPrefix first{static_cast<std::uint8_t>(random.below(3)),
                               random.below(std::min<std::uint64_t>(born, 50))};
      PrefixRange range{first, first};
      expected.insert(first);
      for (auto left = random.below(6); left > 0; --left) {
        const auto next = older.next(range.last);
        if (!next || next->object_class > 2) break;
        range.last = *next;
        expected.insert(*next);
      }
      ranges = ranges.with(range, older);
      ASSERT_TRUE(PrefixRanges::is_valid(ranges.all(), older));
    }
    for (std::uint8_t object_class = 0; object_class < 4; ++object_class) {
      for (std::uint64_t object = 0; object < std::min<std::uint64_t>(born, 60); ++object) {
        const ObjectPrefix prefix{object_class, object};
        EXPECT_EQ(ranges.find(prefix) != nullptr, expected.contains(prefix));
      }
    }
  }
}

TEST(PrefixRanges, AreJoinedWhereTheyLieNearest) {
  const OlderObjects older(kAll);
  PrefixRanges ranges;
  for (std::uint64_t i = 0; i < PrefixRanges::kRangesMax; ++i) {
    ranges = ranges.with({{1, i * 1000}, {1, i * 1000 + 10}}, older);
  }
  EXPECT_EQ(ranges.all().size(), PrefixRanges::kRangesMax);
  ranges = ranges.with({{1, 5500}, {1, 5600}}, older);
  EXPECT_EQ(ranges.all().size(), PrefixRanges::kRangesMax);
  EXPECT_NE(ranges.find({1, 5700}), nullptr);
  EXPECT_EQ(ranges.find({1, 5400}), nullptr);
  EXPECT_EQ(ranges.find({1, 6500}), nullptr);
  EXPECT_TRUE(PrefixRanges::is_valid(ranges.all(), older));
}

TEST(PrefixRanges, AreNotValidOutOfOrder) {
  const OlderObjects older(100);
  const auto is_valid = [&](const std::vector<PrefixRange>& ranges) {
    return PrefixRanges::is_valid(ranges, older);
  };
  EXPECT_TRUE(is_valid({}));
  EXPECT_TRUE(is_valid({{{1, 5}, {1, 7}}, {{1, 9}, {2, 0}}, {{2, 2}, {255, 99}}}));
  EXPECT_FALSE(is_valid({{{1, 5}, {1, 4}}}));
  EXPECT_FALSE(is_valid({{{1, 5}, {1, 7}}, {{1, 8}, {2, 0}}}));
  EXPECT_FALSE(is_valid({{{1, 5}, {1, 99}}, {{2, 0}, {2, 0}}}));
  EXPECT_FALSE(is_valid({{{1, 5}, {1, 100}}}));
  EXPECT_FALSE(is_valid({{{255, 5}, {255, 99}}, {{255, 99}, {255, 99}}}));
}

}  // namespace
}  // namespace dgfs::test
