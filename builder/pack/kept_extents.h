// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Kept extents: counts which bytes of other images' volumes a new image uses.
#pragma once

#include <cstdint>
#include <map>

#include "builder/spool/run_sorter.h"
#include "builder/spool/tree_record.h"

namespace dgfs::builder {

/// Uses of a volume of another image. A value.
struct KeptUse {
  std::uint64_t extent_bytes = 0;  ///< of the volume, which extents take: each byte once
  // Each name counted:
  std::uint64_t files = 0;
  std::uint64_t content_bytes = 0;     ///< sizes of the files
  std::uint64_t raw_extent_bytes = 0;  ///< of extents of single files, if they were not compressed
};
/// By volume, with its number in the new image.
using KeptUses = std::map<format::VolumeNumber, KeptUse>;

/// For one thread. Memory: about a megabyte for any number of extents.
class KeptExtents {
 public:
  explicit KeptExtents(const SpoolPlace& place);

  // Errors: kIo, kNoSpace.
  /// Adds ScannedEntry::kept. Extents may come in any order, equal ones and overlapping ones, too.
  [[nodiscard]] Status add(const ScannedEntry& entry);
  /// Ends adding.
  [[nodiscard]] Result<KeptUses> finish() &&;

 private:
  [[nodiscard]] Status end_stretch();

  RunSorter stretches_;   ///< volume, begin, end
  SortRecord stretch_{};  ///< of the last extents, which lie one behind the other
  KeptUses uses_;
};

}  // namespace dgfs::builder
