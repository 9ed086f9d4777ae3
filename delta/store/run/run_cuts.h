// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where a run is cut into parts of ranges of keys: as pages of its block, or as runs of their own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "delta/store/run/run.h"

namespace dgfs::delta {

/// Between two messages of a run. A value.
struct RunCut {
  std::string low;        ///< keys behind are not below it, and those before are; not empty
  std::size_t point = 0;  ///< number of the first point behind; the run's size() if there is none
};

/// Cuts a run wherever so many bytes of points and range tombstones have come since the last cut. A
/// range tombstone counts where it begins; one that goes on behind a cut is in the parts on both
/// sides. Each part has something to say.
[[nodiscard]] std::vector<RunCut> cuts_of(const Run& run, std::size_t part_bytes);

}  // namespace dgfs::delta
