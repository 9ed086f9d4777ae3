// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where a run is cut into ranges of keys: into pages of its block, or into runs of their own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "delta/store/run/run.h"

namespace dgfs::delta {

/// A cut between two messages of a run. A value.
struct RunCut {
  std::string low;        ///< keys behind the cut are not below it, keys before are; not empty
  std::size_t point = 0;  ///< number of the first point behind the cut; size() if there is none
};

/// The shortest prefix of `first` that is above `last`. @param last  below `first`
[[nodiscard]] std::string separator(std::string_view last, std::string_view first);
/// Cuts a run after each `part_bytes` of points and range tombstones. A range tombstone counts
/// where it begins; if it crosses a cut, the parts on both sides have it. No part is empty.
[[nodiscard]] std::vector<RunCut> cuts_of(const Run& run, std::size_t part_bytes);

}  // namespace dgfs::delta
