// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <vector>

#include "base/result.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/view/generation.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// The objects that stores mark as orphans, in order. Errors: those of the stores. Cost: reads the
/// marks.
[[nodiscard]] Result<std::vector<ObjectNumber>> marked_orphans(const delta::StackSnapshot& stores);

/// Objects without a name where the oldest layers end: those with a mark there, and those of the
/// base below. Some of them may have ended since, or have got a name.
/// @param layers  so many of the oldest; 0: no object is one
/// Errors: kIo, kCorrupt.
[[nodiscard]] Result<std::vector<ObjectNumber>> nameless_below(const Generation& generation,
                                                               std::size_t layers);

}  // namespace dgfs::view
