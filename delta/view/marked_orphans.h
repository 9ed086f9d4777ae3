// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <vector>

#include "base/result.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// The objects that stores mark as orphans, in order. Errors: those of the stores. Cost: reads the
/// marks.
[[nodiscard]] Result<std::vector<ObjectNumber>> marked_orphans(const delta::StackSnapshot& stores);

}  // namespace dgfs::view
