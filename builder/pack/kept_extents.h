// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Kept extents: counts which bytes of other images' volumes a new image uses.
#pragma once

#include <cstdint>
#include <map>

#include "builder/spool/run_sorter.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// For one thread. Memory: about a megabyte for any number of extents.
class KeptExtents {
 public:
  explicit KeptExtents(const SpoolPlace& place);

  // Errors: kIo, kNoSpace.
  /// Extents may come in any order, equal ones and overlapping ones, too.
  [[nodiscard]] Status add(const format::DataAddress& at, std::uint64_t stored_bytes);
  /// The bytes that extents have in each volume, each byte once. Ends adding.
  [[nodiscard]] Result<std::map<format::VolumeNumber, std::uint64_t>> finish() &&;

  [[nodiscard]] std::uint64_t files() const { return files_; }

 private:
  [[nodiscard]] Status end_stretch();

  RunSorter stretches_;        ///< volume, begin, end
  SortRecord stretch_{};       ///< of the last extents, which lie one behind the other
  std::uint64_t files_ = 0;
};

}  // namespace dgfs::builder
