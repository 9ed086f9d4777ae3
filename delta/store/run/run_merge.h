// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Merges runs.
#pragma once

#include <vector>

#include "delta/store/run/run.h"

namespace dgfs::delta {

/// `newer` over `older`. Cost: O(size of both), nothing if one is empty.
[[nodiscard]] RunRef merged(const RunRef& older, const RunRef& newer);
/// Merges runs, given from the oldest to the newest; at least one.
[[nodiscard]] RunRef merged(std::vector<RunRef> runs);
/// Merges points of several runs, given from the oldest to the newest, and ignores range
/// tombstones. Cost: a copy of the points; stretches of a single run are copied at once.
[[nodiscard]] RunRef merged_points(const std::vector<RunPart>& parts);

}  // namespace dgfs::delta
