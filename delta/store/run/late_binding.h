// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Late binding: the size of a table's merged changes decides what goes to the extent volume, not
// the size of single calls. For example, sixteen small writes may make a large value, or a large
// piece of a patch.
#pragma once

#include "delta/store/disk/parameters.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// The same run with values and pieces beyond the bounds turned into unbound large values; `run`
/// itself if there can be none. Pieces in memory that touch are joined. If edits have left less
/// than half of a large value that is not written yet, the rest becomes a value of its own. Data
/// for which the volume has no space stays in the run.
/// @param volume  will hold the values; must outlive them
/// No other thread may bind large values of the run meanwhile. Cost: a copy of the run and of the
/// data that becomes large. Throws std::bad_alloc.
[[nodiscard]] RunRef late_bound(const RunRef& run, const LargeBounds& bounds, ExtentVolume& volume);

/// The same for one message, a put or a patch.
[[nodiscard]] Message late_bound(Message message, const LargeBounds& bounds, ExtentVolume& volume);

}  // namespace dgfs::delta
