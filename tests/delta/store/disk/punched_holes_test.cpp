// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/punched_holes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kEnd = 60;

// A model with a flag for each unit.
class HoleModel {
 public:
  void set(const Extent& extent, bool is_hole) {
    std::fill_n(flags_.begin() + static_cast<std::ptrdiff_t>(extent.offset_bytes),
                extent.length_bytes, is_hole);
  }
  [[nodiscard]] std::uint64_t bytes_in(const Extent& extent) const {
    const auto begin = flags_.begin() + static_cast<std::ptrdiff_t>(extent.offset_bytes);
    return static_cast<std::uint64_t>(
        std::count(begin, begin + static_cast<std::ptrdiff_t>(extent.length_bytes), true));
  }
  [[nodiscard]] std::uint64_t end_bytes() const {
    const auto last = std::find(flags_.rbegin(), flags_.rend(), true);
    return static_cast<std::uint64_t>(flags_.rend() - last);
  }
  [[nodiscard]] std::vector<Extent> solid_parts(const Extent& extent) const {
    std::vector<Extent> parts;
    for (auto at = extent.offset_bytes; at < extent.end_bytes(); ++at) {
      if (flags_[at]) continue;
      if (parts.empty() || parts.back().end_bytes() != at) parts.push_back({at, 0});
      ++parts.back().length_bytes;
    }
    return parts;
  }

 private:
  std::vector<bool> flags_ = std::vector<bool>(kEnd);
};

TEST(PunchedHoles, AreThoseOfAModel) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    PunchedHoles holes;
    HoleModel model;
    for (int step = 0; step < 200; ++step) {
      const auto begin = random.below(kEnd);
      const Extent extent{begin, 1 + random.below(std::min<std::uint64_t>(kEnd - begin, 20))};
      switch (random.below(5)) {
        case 0:
        case 1:
          holes.add(extent);
          model.set(extent, true);
          break;
        case 2:
        case 3: {
          const auto filled = model.bytes_in(extent);
          ASSERT_EQ(holes.fill(extent), filled);
          model.set(extent, false);
          break;
        }
        default: {
          const Extent behind{begin, kEnd - begin};
          const auto filled = model.bytes_in(behind);
          ASSERT_EQ(holes.cut(begin), filled);
          model.set(behind, false);
        }
      }
      ASSERT_EQ(holes.bytes(), model.bytes_in({0, kEnd}));
      ASSERT_EQ(holes.end_bytes(), model.end_bytes());
      ASSERT_EQ(holes.bytes_in(extent), model.bytes_in(extent));
      const auto parts = model.solid_parts(extent);
      ASSERT_EQ(holes.solid_parts(extent), parts);
      std::uint64_t longest = 0;
      for (const Extent& part : parts) longest = std::max(longest, part.length_bytes);
      ASSERT_EQ(holes.longest_solid_bytes(extent), longest);
    }
  }
}

}  // namespace
}  // namespace dgfs::test
