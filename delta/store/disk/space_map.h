// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceMap: which stretches of a file of blocks are free. Checkpoints write it (FreeSpace); where
// none has, opening a store marks what the tree reaches.
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
/// As long as a block is on disk, with padding.
[[nodiscard]] constexpr std::uint64_t padded_bytes(std::uint64_t block_bytes) {
  return (block_bytes + kBlockAlignmentBytes - 1) / kBlockAlignmentBytes * kBlockAlignmentBytes;
}

/// A stretch of a file. A value.
struct Extent {
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;

  [[nodiscard]] std::uint64_t end_bytes() const { return offset_bytes + length_bytes; }
  friend auto operator<=>(const Extent&, const Extent&) = default;
};

/// For one thread.
class SpaceMap {
 public:
  /// Space for `length_bytes`: the shortest free stretch that has it, of these the first; of those
  /// that are closed where no other has it, and at the end if none has. O(log n).
  /// Needs no memory.
  [[nodiscard]] Extent take(std::uint64_t length_bytes);
  /// The same of stretches that are not closed alone; none: no such stretch has it.
  [[nodiscard]] std::optional<Extent> take_open(std::uint64_t length_bytes);
  /// The same at an offset, or behind all that is taken where that is more. What lies between is
  /// free, which needs memory; if it throws std::bad_alloc, nothing has changed.
  [[nodiscard]] Extent take_behind(std::uint64_t offset_bytes, std::uint64_t length_bytes);
  /// All of a free stretch.
  /// @param offset_bytes  where it begins
  /// Needs no memory.
  void take_whole(std::uint64_t offset_bytes) { remove(free_.find(offset_bytes)); }
  /// Closes the stretches that begin at an offset or behind it, and opens all others.
  /// @param offset_bytes  UINT64_MAX: all are open
  /// Needs no memory. O(n log n).
  void close_from(std::uint64_t offset_bytes);
  /// @param extent  taken, all of it
  /// Needs memory where it touches no free stretch, and is not at the end. O(log n). If it throws
  /// std::bad_alloc, nothing has changed. Does nothing where some of the extent is free
  /// already: a damaged tree names it twice.
  void give_back(const Extent& extent);
  /// So many of the free stretches that begin at an offset or behind it, in order, at most.
  /// O(log n), and a step for each.
  [[nodiscard]] std::vector<Extent> free_from(std::uint64_t offset_bytes,
                                              std::size_t count_max) const;
  [[nodiscard]] std::size_t stretches() const { return free_.size(); }
  /// Of memory, about.
  static constexpr std::size_t kBytesOfStretch = 128;
  /// Of a map that has nothing. @param free  before the end, in order, none touches another
  void restore(std::uint64_t end_bytes, const std::vector<Extent>& free);
  /// Takes what is known to be in use. Returns whether all of it was free.
  [[nodiscard]] bool mark(const Extent& extent);

  /// Of the longest free stretch before the end.
  [[nodiscard]] std::uint64_t longest_free_bytes() const {
    return std::max(longest_of(open_), longest_of(closed_));
  }
  /// Shows free stretches before the end, from the longest on, until `wants_more` says false. Those
  /// that are closed come last.
  template <class WantsMore>
  void each_by_length(WantsMore wants_more) const {
    for (const ByLength* stretches : {&open_, &closed_}) {
      for (auto at = stretches->rbegin(); at != stretches->rend(); ++at) {
        if (!wants_more(Extent{at->second, at->first})) break;
      }
    }
  }
  /// The offset behind which so much is taken, at most. O(n).
  [[nodiscard]] std::uint64_t begin_of_last(std::uint64_t taken_bytes) const;
  /// Behind all that is taken.
  [[nodiscard]] std::uint64_t end_bytes() const { return end_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const { return free_bytes_; }
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
  /// A stretch that has been taken out, with the memory for another one.
  struct Removed {
    Stretches::node_type in_order;
    ByLength::node_type by_length;

    [[nodiscard]] bool empty() const { return in_order.empty(); }
  };

  void add(const Extent& stretch);
  /// The same in the place of another one. Needs no memory.
  void add(const Extent& stretch, Removed&& removed);
  Removed remove(Stretches::iterator stretch);

  Stretches free_;   ///< none touches another
  ByLength open_;    ///< of them
  ByLength closed_;  ///< the others
  std::uint64_t closed_from_bytes_ = UINT64_MAX;
  std::uint64_t end_bytes_ = 0;
  std::uint64_t free_bytes_ = 0;
};

}  // namespace dgfs::delta
