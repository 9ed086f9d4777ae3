// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceMap: which stretches of the file of blocks are free. It is kept in memory alone: opening a
// store marks what the tree reaches, so that nothing can leak.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace dgfs::delta {

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
  /// Space for `length_bytes`: the shortest free stretch that has it, of these the first; at the
  /// end if there is none. O(log n).
  [[nodiscard]] Extent take(std::uint64_t length_bytes);
  /// @param extent  taken, all of it
  void give_back(const Extent& extent);
  /// Takes what is known to be in use. Returns whether all of it was free.
  [[nodiscard]] bool mark(const Extent& extent);

  /// Of the longest free stretch before the end.
  [[nodiscard]] std::uint64_t longest_free_bytes() const {
    return by_length_.empty() ? 0 : by_length_.rbegin()->first;
  }
  /// Behind all that is taken.
  [[nodiscard]] std::uint64_t end_bytes() const { return end_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const { return free_bytes_; }
  [[nodiscard]] std::uint64_t used_bytes() const { return end_bytes_ - free_bytes_; }

 private:
  using Stretches = std::map<std::uint64_t, std::uint64_t>;  ///< offset to length

  void add(const Extent& stretch);
  Stretches::iterator remove(Stretches::iterator stretch);

  Stretches free_;                                               ///< none touches another
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_length_;  ///< length and offset of them
  std::uint64_t end_bytes_ = 0;
  std::uint64_t free_bytes_ = 0;
};

}  // namespace dgfs::delta
