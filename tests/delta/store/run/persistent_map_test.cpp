// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/persistent_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

using IntMap = PersistentMap<int>;
using IntModel = std::map<std::string, int>;
using IntEntries = std::vector<std::pair<std::string, int>>;

std::string random_map_key(Random& random) {
  const auto number = random.below(400);
  return std::to_string(number) + std::string(number % 40, 'k');
}

void change(IntMap& map, IntModel& model, Random& random) {
  const auto key = random_map_key(random);
  const int value = static_cast<int>(random.below(1000));
  if (map.find(key) == nullptr) {
    map.insert(key, value);
    model[key] = value;
  } else if (random.one_in(3)) {
    map.find_to_change(key) = value;
    model[key] = value;
  } else {
    map.erase(key);
    model.erase(key);
  }
}

IntEntries entries_from(const IntMap& map, const std::string& begin) {
  IntEntries entries;
  map.visit_from(begin, [&](const auto& entry) {
    entries.emplace_back(entry.key(), entry.value());
    return true;
  });
  return entries;
}

IntEntries entries_before(const IntMap& map, const KeyEnd& end) {
  IntEntries entries;
  map.visit_before(end, [&](const auto& entry) {
    entries.emplace_back(entry.key(), entry.value());
    return true;
  });
  return entries;
}

void expect_at(const IntMap::Entry* entry, IntModel::const_iterator expected,
               const IntModel& model) {
  ASSERT_EQ(entry != nullptr, expected != model.end());
  if (entry != nullptr) {
    EXPECT_EQ(std::pair(std::string(entry->key()), entry->value()),
              std::pair(expected->first, expected->second));
  }
}

void expect_same(const IntMap& map, const IntModel& model, Random& random) {
  EXPECT_EQ(map.empty(), model.empty());
  const auto key = random_map_key(random);
  EXPECT_EQ(entries_from(map, key), IntEntries(model.lower_bound(key), model.end()));
  IntEntries before(model.begin(), model.lower_bound(key));
  std::reverse(before.begin(), before.end());
  EXPECT_EQ(entries_before(map, key), before);
  const auto last = [&](IntModel::const_iterator behind) {
    return behind == model.begin() ? model.end() : std::prev(behind);
  };
  expect_at(map.find(key), model.find(key), model);
  expect_at(map.lower_bound(key), model.lower_bound(key), model);
  expect_at(map.last_until(key), last(model.upper_bound(key)), model);
  expect_at(map.last_before(key), last(model.lower_bound(key)), model);
  expect_at(map.last_before(std::nullopt), last(model.end()), model);
}

// Copies keep their contents, whatever becomes of the others, and can change themselves.
TEST(PersistentMap, CopiesAreIndependent) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    std::vector<std::pair<IntMap, IntModel>> copies(1);
    for (int step = 0; step < 1500; ++step) {
      const auto at = static_cast<std::size_t>(random.below(copies.size()));
      change(copies[at].first, copies[at].second, random);
      if (random.one_in(60)) copies.push_back(copies[at]);
      if (copies.size() > 6)
        copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(random.below(copies.size())));
      if (random.one_in(50)) {
        for (const auto& [map, model] : copies) expect_same(map, model, random);
      }
    }
  }
}

TEST(PersistentMap, VisitsEndWhereTheVisitorSaysSo) {
  IntMap map;
  for (int i = 0; i < 1000; ++i) map.insert(std::to_string(1000 + i), i);
  int visited = 0;
  map.visit_from("1500", [&](const auto&) { return ++visited < 3; });
  EXPECT_EQ(visited, 3);
  map.visit_before("1500", [&](const auto&) { return ++visited < 8; });
  EXPECT_EQ(visited, 8);
}

// Keys in order are the worst case for a tree without balancing: a lookup would pass all other
// keys.
TEST(PersistentMap, IsInBalanceWhateverTheOrderOfKeys) {
  IntMap map;
  for (int i = 0; i < 200'000; ++i) map.insert(std::to_string(1'000'000 + i), i);
  for (int i = 0; i < 150'000; ++i) map.erase(std::to_string(1'000'000 + i));
  EXPECT_LE(map.height(), 22U);  // 1.44 log2(50,000); a list has 50,000
  const IntMap copy = map;
  for (int i = 150'000; i < 200'000; ++i) map.erase(std::to_string(1'000'000 + i));
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(entries_from(copy, "").size(), 50'000U);
}

}  // namespace
}  // namespace dgfs::test
