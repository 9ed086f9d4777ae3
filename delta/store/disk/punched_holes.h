// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PunchedHoles: the free stretches of a file of blocks that have no disk space. A write into a hole
// takes new disk space, and may fail.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "delta/store/disk/space_map.h"

namespace dgfs::delta {

/// For one thread. Cost: O(log n), plus a step for each hole that a call meets.
class PunchedHoles {
 public:
  [[nodiscard]] bool empty() const { return holes_.empty(); }
  /// Of all holes.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// End of the last hole; 0: there is none.
  [[nodiscard]] std::uint64_t end_bytes() const {
    return holes_.empty() ? 0 : holes_.rbegin()->second;
  }
  [[nodiscard]] std::uint64_t bytes_in(const Extent& extent) const {
    std::uint64_t bytes = 0;
    for (auto at = first_behind(extent.offset_bytes);
         at != holes_.end() && at->first < extent.end_bytes(); ++at) {
      bytes += std::min(at->second, extent.end_bytes()) - std::max(at->first, extent.offset_bytes);
    }
    return bytes;
  }
  /// Parts of a stretch outside holes, in order.
  [[nodiscard]] std::vector<Extent> solid_parts(const Extent& stretch) const {
    std::vector<Extent> parts;
    auto begin = stretch.offset_bytes;
    for (auto at = first_behind(begin); at != holes_.end() && at->first < stretch.end_bytes();
         ++at) {
      if (at->first > begin) parts.push_back({begin, at->first - begin});
      begin = at->second;
    }
    if (begin < stretch.end_bytes()) parts.push_back({begin, stretch.end_bytes() - begin});
    return parts;
  }
  [[nodiscard]] std::uint64_t longest_solid_bytes(const Extent& stretch) const {
    std::uint64_t longest = 0;
    auto begin = stretch.offset_bytes;
    for (auto at = first_behind(begin); at != holes_.end() && at->first < stretch.end_bytes();
         ++at) {
      longest = std::max(longest, at->first - std::min(at->first, begin));
      begin = at->second;
    }
    return std::max(longest, stretch.end_bytes() - std::min(stretch.end_bytes(), begin));
  }

  /// Adds a hole; counts parts that are holes already once. If it throws std::bad_alloc, nothing
  /// has changed.
  void add(Extent hole) {
    const auto missing_bytes = hole.length_bytes - bytes_in(hole);
    auto end = hole.end_bytes();
    auto begin = hole.offset_bytes;
    auto at = first_behind(begin);
    if (at != holes_.begin() && std::prev(at)->second == begin) --at;
    if (at == holes_.end() || at->first > end) {
      holes_.emplace(begin, end);
    } else {  // the node of the first hole that it touches is reused for all of them
      begin = std::min(begin, at->first);
      auto node = holes_.extract(at++);
      end = std::max(end, node.mapped());
      for (; at != holes_.end() && at->first <= end; at = holes_.erase(at)) {
        end = std::max(end, at->second);
      }
      node.key() = begin;
      node.mapped() = end;
      holes_.insert(std::move(node));
    }
    bytes_ += missing_bytes;
  }
  /// The extent has disk space now. Returns how much of it had none. Needs memory only if the
  /// extent begins and ends inside one hole; if it throws std::bad_alloc, nothing has changed.
  std::uint64_t fill(const Extent& extent) {
    const auto filled_bytes = bytes_in(extent);
    const auto end = extent.end_bytes();
    for (auto at = first_behind(extent.offset_bytes); at != holes_.end() && at->first < end;) {
      const auto hole_end = at->second;
      if (at->first < extent.offset_bytes) {
        if (hole_end > end) holes_.emplace(end, hole_end);
        at->second = extent.offset_bytes;
        ++at;
        continue;
      }
      auto node = holes_.extract(at++);
      if (hole_end <= end) continue;
      node.key() = end;
      holes_.insert(std::move(node));
    }
    bytes_ -= filled_bytes;
    return filled_bytes;
  }
  /// The same, from the start of the hole in which the extent begins. Needs no memory.
  std::uint64_t fill_from_begin(const Extent& extent) {
    const auto at = first_behind(extent.offset_bytes);
    const auto begin =
        at == holes_.end() ? extent.offset_bytes : std::min(at->first, extent.offset_bytes);
    return fill({begin, extent.end_bytes() - begin});
  }
  /// The file ends at an offset now. Returns how many bytes of holes lay behind it.
  std::uint64_t cut(std::uint64_t end_bytes) {
    return fill({end_bytes, std::max(end_bytes, this->end_bytes()) - end_bytes});
  }

 private:
  using Holes = std::map<std::uint64_t, std::uint64_t>;  ///< begin to end; none touches another

  // The first hole that ends behind an offset.
  [[nodiscard]] Holes::const_iterator first_behind(std::uint64_t offset_bytes) const {
    auto at = holes_.upper_bound(offset_bytes);
    if (at != holes_.begin() && std::prev(at)->second > offset_bytes) --at;
    return at;
  }
  [[nodiscard]] Holes::iterator first_behind(std::uint64_t offset_bytes) {
    auto at = holes_.upper_bound(offset_bytes);
    if (at != holes_.begin() && std::prev(at)->second > offset_bytes) --at;
    return at;
  }

  Holes holes_;
  std::uint64_t bytes_ = 0;
};

}  // namespace dgfs::delta
