// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/free_space.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "delta/store/disk/block_file.h"
#include "storage/memory/env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kUnit = kBlockAlignmentBytes;

// Free units of a file, and the end of the used ones.
FreeSpace space_of(const std::vector<bool>& is_taken) {
  std::size_t end = is_taken.size();
  while (end > 0 && !is_taken[end - 1]) --end;
  std::vector<Extent> free;
  for (std::size_t at = 0; at < end; ++at) {
    if (is_taken[at]) continue;
    if (!free.empty() && free.back().end_bytes() == at * kUnit) {
      free.back().length_bytes += kUnit;
    } else {
      free.push_back({at * kUnit, kUnit});
    }
  }
  return {end * kUnit, std::move(free)};
}

std::vector<bool> random_units(Random& random) {
  std::vector<bool> is_taken(random.below(200));
  for (std::size_t i = 0; i < is_taken.size(); ++i) is_taken[i] = random.one_in(2);
  return is_taken;
}

TEST(FreeSpace, AddsWhatIsFreeToo) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    auto is_taken = random_units(random);
    FreeSpace space = space_of(is_taken);
    std::vector<Extent> extents;
    for (auto count = random.below(10); count > 0 && !is_taken.empty(); --count) {
      const auto begin = random.below(is_taken.size());
      const auto length = 1 + random.below(is_taken.size() - begin);
      extents.push_back({begin * kUnit, length * kUnit});
      const auto first = is_taken.begin() + static_cast<std::ptrdiff_t>(begin);
      std::fill(first, first + static_cast<std::ptrdiff_t>(length), false);
    }
    space.add(std::move(extents));
    ASSERT_EQ(space, space_of(is_taken));
  }
}

TEST(FreeSpace, IsReadBack) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const FreeSpace space = space_of(random_units(random));
    Buffer bytes;
    space.encode(bytes);
    const auto decoded = FreeSpace::decode(bytes);
    ASSERT_TRUE(decoded) << decoded.error().message();
    ASSERT_EQ(decoded.value(), space);
    SpaceMap map;
    map.restore(space.end_bytes(), space.stretches());
    EXPECT_EQ(map.end_bytes(), space.end_bytes());
    EXPECT_EQ(map.free_from(0, SIZE_MAX), space.stretches());
    std::uint64_t free_bytes = 0;
    for (const Extent& stretch : space.stretches()) free_bytes += stretch.length_bytes;
    EXPECT_EQ(map.free_bytes(), free_bytes);
  }
}

TEST(FreeSpace, KnowsWhatItHas) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const auto is_taken = random_units(random);
    const FreeSpace space = space_of(is_taken);
    for (std::size_t begin = 0; begin < is_taken.size() + 3; ++begin) {
      bool is_free = true;
      for (std::size_t end = begin + 1; end < is_taken.size() + 5; ++end) {
        is_free = is_free && (end - 1 >= is_taken.size() || !is_taken[end - 1]);
        ASSERT_EQ(space.has({begin * kUnit, (end - begin) * kUnit}), is_free);
      }
    }
  }
}

TEST(FreeSpace, IsThatOfAFileWithManyStretches) {
  constexpr std::size_t kBlocks = 20'000;
  const auto env = storage::make_memory_env(1);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  std::vector<Extent> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(file.write(Buffer(1)).value().extent());
  }
  for (std::size_t i = 0; i < kBlocks; i += 2) file.free(blocks[i]);
  const FreeSpace space = file.free_space();
  EXPECT_EQ(space.stretches().size(), kBlocks / 2);
  EXPECT_EQ(space.stretches(), file.space().free_from(0, SIZE_MAX));
  EXPECT_EQ(space.end_bytes(), kBlocks * kUnit);
}

TEST(FreeSpace, KeepsItsRulesWhateverItIsReadOf) {
  Random random(1);
  std::size_t read = 0;
  for (int i = 0; i < 200; ++i) {
    Buffer bytes;
    space_of(random_units(random)).encode(bytes);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      Buffer broken = bytes;
      broken[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      const auto decoded = FreeSpace::decode(broken);
      if (!decoded) {
        ASSERT_EQ(decoded.error().kind(), ErrorKind::kCorrupt);
        continue;
      }
      ++read;
      std::uint64_t end = 0;
      for (const Extent& stretch : decoded.value().stretches()) {
        ASSERT_GT(stretch.length_bytes, 0U);
        ASSERT_TRUE(stretch.offset_bytes > end || stretch.offset_bytes == 0);
        end = stretch.end_bytes();
      }
      ASSERT_TRUE(end < decoded.value().end_bytes() || end == 0);
    }
  }
  EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace dgfs::test
