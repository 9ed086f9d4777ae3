// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Finds the large values that a change of the tree leaves without references. A run that the change
// uses up takes one reference from each of its values; a run that it makes adds one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "delta/store/disk/space_map.h"

namespace dgfs::delta {

/// For one thread.
class ExtentBalance {
 public:
  /// The change has made a run that refers to these.
  void gain(const std::vector<Extent>& values) { count(values, +1); }
  /// The change has used up a run that refers to these.
  void lose(const std::vector<Extent>& values) { count(values, -1); }
  /// Values with fewer references than before: they have none left.
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
