// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/join_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using delta::LayerRange;
using layer::LayerSize;

// Of the letters: sizes; a capital's state stays.
std::vector<LayerSize> layers_of(const std::string& letters) {
  std::vector<LayerSize> layers;
  for (const char letter : letters) {
    const bool stays = letter >= 'A' && letter <= 'Z';
    layers.push_back({std::uint64_t{1} << (letter - (stays ? 'A' : 'a')), stays});
  }
  return layers;
}

std::vector<LayerRange> all_joins(const std::string& letters) {
  return layer::all_joins(layers_of(letters));
}

TEST(JoinChoice, AllJoinsEndWithStatesThatStay) {
  using Ranges = std::vector<LayerRange>;
  EXPECT_EQ(all_joins(""), Ranges());
  EXPECT_EQ(all_joins("a"), Ranges());
  EXPECT_EQ(all_joins("A"), Ranges());
  EXPECT_EQ(all_joins("aa"), Ranges({{0, 2}}));
  EXPECT_EQ(all_joins("aA"), Ranges({{0, 2}}));
  EXPECT_EQ(all_joins("Aa"), Ranges());
  EXPECT_EQ(all_joins("AA"), Ranges());
  EXPECT_EQ(all_joins("Aaaa"), Ranges({{1, 4}}));
  EXPECT_EQ(all_joins("aaAaAAaaa"), Ranges({{0, 3}, {3, 5}, {6, 9}}));
}

TEST(JoinChoice, FewLayersStay) {
  EXPECT_EQ(layer::next_join(layers_of("aaaaaaaa")), std::nullopt);
  EXPECT_EQ(layer::next_join(layers_of("AAAAAAAAAAaaaaaaaa")), std::nullopt);
  EXPECT_TRUE(layer::next_join(layers_of("aaaaaaaaa")));
}

TEST(JoinChoice, AFullStackJoinsFewLayersToo) {
  const auto layers = layers_of("AAAAAAAAAAAAAAaa");
  EXPECT_EQ(layer::next_join(layers), std::nullopt);
  EXPECT_EQ(layer::next_join(layers, 8, 16), (LayerRange{14, 16}));
  EXPECT_EQ(layer::next_join(layers_of("AAAAAAAAAAAAAAAa"), 8, 16), std::nullopt);
}

TEST(JoinChoice, TakesSmallNeighboursAndLeavesLargeOnes) {
  EXPECT_EQ(layer::next_join(layers_of("aaaaaaaaa")), (LayerRange{0, 9}));
  EXPECT_EQ(layer::next_join(layers_of("zaaaaaaaa")), (LayerRange{1, 9}));
  EXPECT_EQ(layer::next_join(layers_of("zzzzaazzz")), (LayerRange{4, 6}));
  EXPECT_EQ(layer::next_join(layers_of("zzzzaabcz")), (LayerRange{4, 8}));
  EXPECT_EQ(layer::next_join(layers_of("ihgfedcba")), (LayerRange{7, 9}));
}

TEST(JoinChoice, NeverCrossesAStateThatStays) {
  EXPECT_EQ(layer::next_join(layers_of("aaaaaaaaAaa")), (LayerRange{9, 11}));
  EXPECT_EQ(layer::next_join(layers_of("zzzzzzzzzaAzz")), (LayerRange{9, 11}));
  EXPECT_EQ(layer::next_join(layers_of("aAaAaAaAaAaAaAaAaA")), (LayerRange{16, 18}));
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    std::vector<LayerSize> layers;
    for (auto count = random.below(17); count > 0; --count) {
      layers.push_back({random.below(1000), random.one_in(4)});
    }
    const auto range = layer::next_join(layers, random.below(4));
    if (!range) continue;
    ASSERT_GE(range->size(), 2U);
    ASSERT_LE(range->end, layers.size());
    for (auto at = range->begin; at + 1 < range->end; ++at) ASSERT_FALSE(layers[at].stays);
  }
}

// Seals layers, and joins as a mount does. Returns the bytes moved for each byte sealed.
double moved_over(int seals, const std::function<std::uint64_t()>& size) {
  std::vector<LayerSize> layers;
  std::uint64_t sealed = 0;
  std::uint64_t moved = 0;
  for (int i = 0; i < seals; ++i) {
    layers.push_back({size(), false});
    sealed += layers.back().bytes;
    while (const auto range = layer::next_join(layers)) {
      std::uint64_t bytes = 0;
      for (auto at = range->begin; at < range->end; ++at) bytes += layers[at].bytes;
      moved += bytes;
      layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(range->begin) + 1,
                   layers.begin() + static_cast<std::ptrdiff_t>(range->end));
      layers[range->begin] = {bytes, false};
    }
    EXPECT_LE(layers.size(), layer::kUnnamedLayersMax);
  }
  return static_cast<double>(moved) / static_cast<double>(sealed);
}

TEST(JoinChoice, AHundredSealsOfOneSizeMoveAtMostTwoBytesForEachByte) {
  EXPECT_LE(moved_over(100, [] { return 1000; }), 2.0);
}

TEST(JoinChoice, SealsOfAnySizeMoveFewBytesForEachByte) {
  SeededEngine engine(7);
  const auto below = [&](std::uint64_t end) { return 1 + engine() % end; };
  for (int run = 0; run < 200; ++run) {
    EXPECT_LE(moved_over(100, [&] { return below(1000); }), 5.0) << "any size";
    EXPECT_LE(moved_over(100, [&] { return std::uint64_t{1} << below(20); }), 5.0)
        << "of very different sizes";
    EXPECT_LE(moved_over(100, [&] { return 900 + below(200); }), 5.0) << "of similar sizes";
    EXPECT_LE(moved_over(100, [&] { return below(10) == 1 ? 100'000 : 100; }), 5.0)
        << "small ones and a few large ones";
  }
}

}  // namespace
}  // namespace dgfs::test
