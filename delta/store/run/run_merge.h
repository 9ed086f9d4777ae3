// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What several runs say together.
#pragma once

#include <vector>

#include "delta/store/run/run.h"

namespace dgfs::delta {

/// What both say together. Cost: O(size of both), nothing if either says nothing.
[[nodiscard]] RunRef merged(const RunRef& older, const RunRef& newer);
/// From the oldest to the newest; at least one.
[[nodiscard]] RunRef merged(std::vector<RunRef> runs);
/// What the points of several runs say together, from the oldest to the newest; of range tombstones
/// nothing. Cost: a copy of them; of stretches that one run alone has, all at once.
[[nodiscard]] RunRef merged_points(const std::vector<RunPart>& parts);

}  // namespace dgfs::delta
