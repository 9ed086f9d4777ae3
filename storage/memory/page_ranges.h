// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PageRanges: a set of pages, kept as ranges of their numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace dgfs::storage {

/// A value. Not thread-safe. Cost: O(log n) in the number of ranges, plus one step for each range
/// that a call touches.
class PageRanges {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    for (auto at = first_reaching(begin); at != ranges_.end() && at->first <= end;) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      count_ -= at->second - at->first;
      at = ranges_.erase(at);
    }
    ranges_.emplace(begin, end);
    count_ += end - begin;
  }
  void remove(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    for (auto at = first_reaching(begin); at != ranges_.end() && at->first < end;) {
      const auto [first, last] = *at;
      at = ranges_.erase(at);
      count_ -= last - first;
      if (first < begin) add(first, std::min(last, begin));
      if (last > end) add(std::max(first, end), last);
    }
  }
  [[nodiscard]] bool has(std::uint64_t page) const {
    const auto behind = ranges_.upper_bound(page);
    return behind != ranges_.begin() && std::prev(behind)->second > page;
  }
  void clear() {
    ranges_.clear();
    count_ = 0;
  }
  /// Number of pages in the set.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  using Ranges = std::map<std::uint64_t, std::uint64_t>;  ///< begin to end; no two ranges touch

  // The first range that ends at `page` or behind it.
  [[nodiscard]] Ranges::iterator first_reaching(std::uint64_t page) {
    auto at = ranges_.lower_bound(page);
    if (at != ranges_.begin() && std::prev(at)->second >= page) --at;
    return at;
  }

  Ranges ranges_;
  std::uint64_t count_ = 0;
};

}  // namespace dgfs::storage
