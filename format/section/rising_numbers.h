// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Rising numbers of 64 bits, in about 32 bits each: their low halves, and the places where the high
// half changes. For ordinals that is once in four thousand million.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace dgfs::format {

/// Like a sorted std::vector<std::uint64_t>. Thread-safe once it is filled.
class RisingNumbers {
 public:
  void reserve(std::size_t count) { lows_.reserve(count); }
  void shrink_to_fit() { lows_.shrink_to_fit(); }
  /// @param number  not below the last one
  void push_back(std::uint64_t number) {
    if (high_of(number) != last_high_) {
      last_high_ = high_of(number);
      steps_.push_back({lows_.size(), last_high_});
    }
    lows_.push_back(low_of(number));
  }
  /// Adds `count` numbers with the high half of the last number, and returns the room for their low
  /// halves. The caller must fill it before any other call. No number may exceed `last`. If `last`
  /// has another high half, adds nothing and returns an empty span: the caller must then add the
  /// numbers one by one.
  [[nodiscard]] std::span<std::uint32_t> extend(std::size_t count, std::uint64_t last) {
    if (high_of(last) != last_high_) return {};
    lows_.resize(lows_.size() + count);
    return std::span(lows_).last(count);
  }

  [[nodiscard]] std::size_t size() const { return lows_.size(); }
  [[nodiscard]] std::uint64_t operator[](std::size_t position) const {
    if (steps_.empty()) return lows_[position];
    const auto after = std::upper_bound(
        steps_.begin(), steps_.end(), position,
        [](std::size_t wanted, const Step& step) { return wanted < step.position; });
    const std::uint64_t high = after == steps_.begin() ? 0 : (after - 1)->high;
    return high << 32 | lows_[position];
  }

  /// Position of the first number that is not below `number`; size() if there is none.
  [[nodiscard]] std::size_t lower_bound(std::uint64_t number) const {
    const auto [begin, end] = range_of(high_of(number));
    return position_of(std::lower_bound(begin, end, low_of(number)));
  }
  /// Position of the first number that is above `number`; size() if there is none.
  [[nodiscard]] std::size_t upper_bound(std::uint64_t number) const {
    const auto [begin, end] = range_of(high_of(number));
    return position_of(std::upper_bound(begin, end, low_of(number)));
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    return lows_.capacity() * sizeof(std::uint32_t) + steps_.capacity() * sizeof(Step);
  }

 private:
  using Low = std::vector<std::uint32_t>::const_iterator;
  /// The numbers from this position on have this high half.
  struct Step {
    std::size_t position = 0;
    std::uint32_t high = 0;
  };
  struct Range {
    Low begin;
    Low end;
  };

  static std::uint32_t high_of(std::uint64_t number) {
    return static_cast<std::uint32_t>(number >> 32);
  }
  static std::uint32_t low_of(std::uint64_t number) { return static_cast<std::uint32_t>(number); }
  [[nodiscard]] std::size_t position_of(Low low) const {
    return static_cast<std::size_t>(low - lows_.begin());
  }
  /// The numbers with this high half; if there are none, an empty range at their place.
  [[nodiscard]] Range range_of(std::uint32_t high) const {
    const auto step = std::partition_point(steps_.begin(), steps_.end(),
                                           [&](const Step& it) { return it.high < high; });
    const auto begin_of = [&](auto it) {
      return it == steps_.end() ? lows_.end()
                                : lows_.begin() + static_cast<std::ptrdiff_t>(it->position);
    };
    if (high == 0) return {lows_.begin(), begin_of(steps_.begin())};
    const bool is_here = step != steps_.end() && step->high == high;
    return {begin_of(step), begin_of(is_here ? step + 1 : step)};
  }

  std::vector<std::uint32_t> lows_;
  std::vector<Step> steps_;
  std::uint32_t last_high_ = 0;
};

}  // namespace dgfs::format
