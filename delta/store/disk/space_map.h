// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceMap: which stretches of a file of blocks are free. Checkpoints write it (FreeSpace). Without
// a written map, opening a store marks everything that the tree refers to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace dgfs::delta {

/// Blocks begin at multiples of this.
inline constexpr std::uint64_t kBlockAlignmentBytes = 512;
/// Length of a block on disk, with padding.
[[nodiscard]] constexpr std::uint64_t padded_bytes(std::uint64_t block_bytes) {
  return (block_bytes + kBlockAlignmentBytes - 1) / kBlockAlignmentBytes * kBlockAlignmentBytes;
}

/// File systems allocate and free whole pages.
inline constexpr std::uint64_t kDiskPageBytes = 4096;

/// A stretch of a file. A value.
struct Extent {
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;

  [[nodiscard]] std::uint64_t end_bytes() const { return offset_bytes + length_bytes; }
  friend auto operator<=>(const Extent&, const Extent&) = default;
};

/// The whole pages inside an extent.
[[nodiscard]] constexpr Extent inner_pages(const Extent& extent) {
  const auto begin = (extent.offset_bytes + kDiskPageBytes - 1) / kDiskPageBytes * kDiskPageBytes;
  const auto end = (extent.offset_bytes + extent.length_bytes) / kDiskPageBytes * kDiskPageBytes;
  return {begin, std::max(begin, end) - begin};
}

/// For one thread.
class SpaceMap {
 public:
  /// Takes space for `length_bytes` by best fit: the shortest open stretch that is long enough, and
  /// of equal ones the first; then a closed one; then space at the end. O(log n).
  /// Needs no memory.
  [[nodiscard]] Extent take(std::uint64_t length_bytes);
  /// The same in open stretches only; none: no open stretch is long enough.
  [[nodiscard]] std::optional<Extent> take_open(std::uint64_t length_bytes);
  /// Takes space at an offset, or at the end of all taken space if that is higher. Notes what lies
  /// between as free, which needs memory; if it throws std::bad_alloc, nothing has changed.
  [[nodiscard]] Extent take_behind(std::uint64_t offset_bytes, std::uint64_t length_bytes);
  /// Takes a whole free stretch.
  /// @param offset_bytes  where it begins
  /// Needs no memory.
  void take_whole(std::uint64_t offset_bytes) { remove(free_.find(offset_bytes)); }
  /// Closes the stretches that begin at or behind an offset, and opens all others.
  /// @param offset_bytes  UINT64_MAX: opens all
  /// Needs no memory. O(n log n).
  void close_from(std::uint64_t offset_bytes);
  /// Frees an extent. Does nothing if a part of it is free already: a damaged tree names it twice.
  /// Needs memory unless it touches a free stretch or is at the end. O(log n).
  /// If it throws std::bad_alloc, nothing has changed.
  void give_back(const Extent& extent);
  /// The first `count_max` free stretches that begin at or behind an offset, in order. O(log n),
  /// plus a step for each.
  [[nodiscard]] std::vector<Extent> free_from(std::uint64_t offset_bytes,
                                              std::size_t count_max) const;
  [[nodiscard]] std::size_t stretches() const { return free_.size(); }
  /// Rough memory of a stretch.
  static constexpr std::size_t kBytesOfStretch = 128;
  /// Fills an empty map. @param free  before the end, in order, no two touch
  void restore(std::uint64_t end_bytes, const std::vector<Extent>& free);
  /// Marks an extent as in use. Returns whether all of it was free.
  [[nodiscard]] bool mark(const Extent& extent);

  /// Length of the longest free stretch before the end.
  [[nodiscard]] std::uint64_t longest_free_bytes() const {
    return std::max(longest_of(open_), longest_of(closed_));
  }
  /// Calls `wants_more` with free stretches before the end, the longest first, until it returns
  /// false. Then does the same with closed stretches.
  template <class WantsMore>
  void each_by_length(WantsMore wants_more) const {
    for (const ByLength* stretches : {&open_, &closed_}) {
      for (auto at = stretches->rbegin(); at != stretches->rend(); ++at) {
        if (!wants_more(Extent{at->second, at->first})) break;
      }
    }
  }
  /// The lowest offset with at most so many taken bytes behind it. O(n).
  [[nodiscard]] std::uint64_t begin_of_last(std::uint64_t taken_bytes) const;
  /// End of all taken space.
  [[nodiscard]] std::uint64_t end_bytes() const { return end_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const { return free_bytes_; }
  /// Of these, whole pages.
  [[nodiscard]] std::uint64_t free_page_bytes() const { return free_page_bytes_; }
  [[nodiscard]] std::uint64_t used_bytes() const { return end_bytes_ - free_bytes_; }

 private:
  using Stretches = std::map<std::uint64_t, std::uint64_t>;  ///< offset to length

  using ByLength = std::set<std::pair<std::uint64_t, std::uint64_t>>;  ///< length and offset

  [[nodiscard]] static std::uint64_t longest_of(const ByLength& stretches) {
    return stretches.empty() ? 0 : stretches.rbegin()->first;
  }
  [[nodiscard]] ByLength& by_length(std::uint64_t offset_bytes) {
    return offset_bytes < closed_from_bytes_ ? open_ : closed_;
  }
  [[nodiscard]] std::optional<Extent> take_of(const ByLength& stretches,
                                              std::uint64_t length_bytes);
  /// A stretch that was removed, whose memory can be used for another one.
  struct Removed {
    Stretches::node_type in_order;
    ByLength::node_type by_length;

    [[nodiscard]] bool empty() const { return in_order.empty(); }
  };

  void count(const Extent& stretch) {
    free_bytes_ += stretch.length_bytes;
    free_page_bytes_ += inner_pages(stretch).length_bytes;
  }
  void add(const Extent& stretch);
  /// The same, with the memory of a removed one. Needs no memory.
  void add(const Extent& stretch, Removed&& removed);
  Removed remove(Stretches::iterator stretch);

  Stretches free_;   ///< no two touch
  ByLength open_;    ///< open stretches
  ByLength closed_;  ///< closed stretches
  std::uint64_t closed_from_bytes_ = UINT64_MAX;
  std::uint64_t end_bytes_ = 0;
  std::uint64_t free_bytes_ = 0;
  std::uint64_t free_page_bytes_ = 0;
};

}  // namespace dgfs::delta
