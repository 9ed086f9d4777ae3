// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// BareListings: the directories whose bare names the kernel may keep. Finds out whether programs
// look them up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "format/entry/entry.h"

namespace dgfs::fuse {

/// Not thread-safe. The kernel keeps listings and shows them to all programs; a program that wants
/// attributes then looks up each bare name. If that happens often, the listings must be dropped, so
/// that the kernel asks for them again. A few lookups are no reason: a program that opens files by
/// their paths looks up a name here and there.
class BareListings {
 public:
  using InodeNumber = format::InodeNumber;

  /// Bounds the memory: some 60 bytes each.
  static constexpr std::size_t kDirectoriesMax = 128 << 10;
  /// A lookup counts one; if its name stands beside one of the last looked-up names, as in a walk,
  /// it counts kNeighbourCounts. At kReason the listings must be dropped.
  static constexpr unsigned kNeighbourCounts = 4;
  static constexpr unsigned kReason = 64;

  [[nodiscard]] std::size_t size() const { return listings_.size(); }

  /// A program asks for the directory from its beginning: it has no bare names now.
  void begin(InodeNumber directory) { listings_.erase(directory); }
  void clear() { listings_.clear(); }
  /// So many names of the directory are given to the kernel bare. Throws std::bad_alloc.
  void add(InodeNumber directory, std::size_t names);

  /// Notes that a file is looked up.
  /// @return the directories to drop, those behind `directory` first; nullopt: there is no reason
  ///         yet. Does not contain directories with looked-up names: a walker has their listing
  ///         already, and will look up the rest. Throws std::bad_alloc.
  [[nodiscard]] std::optional<std::vector<InodeNumber>> saw_lookup(InodeNumber directory,
                                                                   InodeNumber inode);

 private:
  struct Listing {
    std::size_t bare_names = 0;  ///< that were not looked up
    bool has_lookups = false;
    bool is_spared = false;  ///< stood when others were dropped
  };
  [[nodiscard]] bool is_neighbour(InodeNumber inode);
  [[nodiscard]] std::vector<InodeNumber> take_untouched(InodeNumber first);

  std::unordered_map<InodeNumber, Listing> listings_;
  std::array<InodeNumber, 8> lookups_{};  ///< the last ones
  std::size_t next_lookup_ = 0;
  unsigned count_ = 0;
};

}  // namespace dgfs::fuse
