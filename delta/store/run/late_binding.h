// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Late binding: what changes of a table have come to decides what goes to the extent volume, not
// the calls that they came by. A value that sixteen small writes have made is a large value, and so
// is what they have made of a patch.
#pragma once

#include "delta/store/disk/parameters.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// The same run, in which values and pieces that are longer than the bounds have become large ones,
/// unbound; the same run if there can be none. Pieces in memory that touch become one. Where
/// edits have left less than half of a large value that is not written yet, its rest
/// becomes a value of its own. What the volume has no space for stays where it is.
/// @param volume  shall have them; must outlive them
/// Nobody may bind large values of the run meanwhile. Cost: a copy of the run and of what becomes
/// large. Throws std::bad_alloc.
[[nodiscard]] RunRef late_bound(const RunRef& run, const LargeBounds& bounds, ExtentVolume& volume);

/// The same of one message. A put or a patch.
[[nodiscard]] Message late_bound(Message message, const LargeBounds& bounds, ExtentVolume& volume);

}  // namespace dgfs::delta
