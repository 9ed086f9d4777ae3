// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/disk/space_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

// A byte for each unit of space.
class SpaceModel {
 public:
  // Whether it was free.
  bool set(const Extent& extent, bool is_used) {
    if (used_.size() < extent.end_bytes()) used_.resize(extent.end_bytes());
    const auto begin = used_.begin() + static_cast<std::ptrdiff_t>(extent.offset_bytes);
    const auto end = begin + static_cast<std::ptrdiff_t>(extent.length_bytes);
    const bool was_free = std::none_of(begin, end, [](bool used) { return used; });
    std::fill(begin, end, is_used);
    return was_free;
  }
  [[nodiscard]] bool is_free(const Extent& extent) const {
    for (auto at = extent.offset_bytes; at < std::min(extent.end_bytes(), end_bytes()); ++at) {
      if (used_[at]) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t end_bytes() const {
    const auto last = std::find(used_.rbegin(), used_.rend(), true);
    return static_cast<std::uint64_t>(used_.rend() - last);
  }
  [[nodiscard]] std::uint64_t used_bytes() const {
    return static_cast<std::uint64_t>(std::ranges::count(used_, true));
  }
  // The length of the shortest free stretch before the end that has `length`; 0: none has.
  [[nodiscard]] std::uint64_t shortest_fit(std::uint64_t length) const {
    std::uint64_t best = 0;
    std::uint64_t run = 0;
    for (std::uint64_t at = 0; at <= end_bytes(); ++at) {
      if (at < end_bytes() && !used_[at]) {
        ++run;
        continue;
      }
      if (run >= length && at < end_bytes() && (best == 0 || run < best)) best = run;
      run = 0;
    }
    return best;
  }

 private:
  std::vector<bool> used_;
};

TEST(SpaceMap, AnswersAsABitmapDoes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    SpaceMap map;
    SpaceModel model;
    std::vector<Extent> taken;
    for (int step = 0; step < 300; ++step) {
      const auto choice = random.below(5);
      if (choice == 0) {
        const Extent extent{random.below(150), 1 + random.below(20)};
        const bool is_free = model.is_free(extent);
        // One that lies over the end is not free as a whole for the map.
        const auto end = model.end_bytes();
        if (extent.offset_bytes < end && extent.end_bytes() > end) continue;
        ASSERT_EQ(map.mark(extent), is_free);
        if (!is_free) continue;
        model.set(extent, true);
        taken.push_back(extent);
      } else if (choice < 3 || taken.empty()) {
        const auto length = 1 + random.below(20);
        const auto fit = model.shortest_fit(length);
        const auto end = model.end_bytes();
        const Extent extent = map.take(length);
        ASSERT_EQ(extent.length_bytes, length);
        ASSERT_TRUE(model.set(extent, true));
        ASSERT_EQ(extent.offset_bytes == end, fit == 0);
        taken.push_back(extent);
      } else {
        const auto at = static_cast<std::size_t>(random.below(taken.size()));
        map.give_back(taken[at]);
        model.set(taken[at], false);
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(at));
      }
      ASSERT_EQ(map.end_bytes(), model.end_bytes());
      ASSERT_EQ(map.used_bytes(), model.used_bytes());
    }
  }
}

}  // namespace
}  // namespace dgfs::test
