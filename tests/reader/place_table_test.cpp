// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/place_table.h"

#include <gtest/gtest.h>

#include <functional>
#include <unordered_map>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

struct Same {  // all keys in one place
  std::size_t operator()(int) const { return 7; }
};

template <class Hash>
void expect_as_a_map(int keys, std::uint32_t seed) {
  reader::PlaceTable<int, const int*, Hash> table;
  std::unordered_map<int, const int*> map;
  const std::vector<int> places(static_cast<std::size_t>(keys));
  SeededEngine random(seed);
  for (int step = 0; step < 20'000; ++step) {
    const auto key = static_cast<int>(random() % static_cast<unsigned>(keys));
    if (map.erase(key) != 0) {
      table.erase(key);
    } else {
      map[key] = &places[static_cast<std::size_t>(key)];
      table.insert(key, map[key]);
    }
    for (int i = 0; i < 3; ++i) {
      const auto asked = static_cast<int>(random() % static_cast<unsigned>(keys + 3));
      const auto found = map.find(asked);
      ASSERT_EQ(table.find(asked), found == map.end() ? nullptr : found->second) << step;
    }
  }
}

TEST(PlaceTable, IsAMap) {
  EXPECT_EQ((reader::PlaceTable<int, const int*, std::hash<int>>().find(3)), nullptr);
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    expect_as_a_map<std::hash<int>>(1000, seed);
    expect_as_a_map<std::hash<int>>(9, seed);
    expect_as_a_map<Same>(20, seed);
  }
}

}  // namespace
}  // namespace dgfs::test
