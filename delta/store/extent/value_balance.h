// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which large values a change of the tree has left without anything that refers to them. Runs that
// it has used up refer to them once each, and so do those that it has made in their stead.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "delta/store/disk/space_map.h"

namespace dgfs::delta {

/// For one thread.
class ExtentBalance {
 public:
  /// A run was made that refers to these.
  void gain(const std::vector<Extent>& values) { count(values, +1); }
  /// A run was used up.
  void lose(const std::vector<Extent>& values) { count(values, -1); }
  /// Those that have fewer references than before: none.
  [[nodiscard]] std::vector<Extent> lost() const {
    std::vector<Extent> all;
    for (const auto& [offset, entry] : entries_) {
      if (entry.references < 0) all.push_back({offset, entry.length_bytes});
    }
    return all;
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    std::uint64_t length_bytes = 0;
    int references = 0;
  };

  void count(const std::vector<Extent>& values, int references) {
    for (const Extent& value : values) {
      auto& entry = entries_[value.offset_bytes];
      entry.length_bytes = value.length_bytes;
      entry.references += references;
    }
  }

  std::unordered_map<std::uint64_t, Entry> entries_;  ///< by offset
};

}  // namespace dgfs::delta
