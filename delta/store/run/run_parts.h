// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Parts of a run, as runs of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "delta/store/run/run.h"

namespace dgfs::delta {

/// The points and the parts of range tombstones that lie in `range`. Cost: a copy of them; nothing
/// if that is the whole run.
[[nodiscard]] RunRef clipped(const RunRef& run, const KeyRange& range);
/// The part of a run from a key on, up to the next slice. A value.
struct RunSlice {
  std::string low;  ///< empty for the first
  RunRef run;
};
/// Cuts a run into slices of about equal size, in key order. None is much above `bytes_max`, unless
/// a single message is. If one slice is enough, that is the run itself. Cost: a copy.
[[nodiscard]] std::vector<RunSlice> cut(const RunRef& run, std::uint64_t bytes_max);
/// The same run without range tombstones over young keys (object_key.h).
[[nodiscard]] RunRef with_tombstones_over_older(const RunRef& run, std::uint64_t born_object);
/// The form of a run at the lowest level of a store. It has no erasures. For young keys it has no
/// removals and no range tombstones, and patches have become values.
[[nodiscard]] RunRef settled(const RunRef& run, std::uint64_t born_object);

}  // namespace dgfs::delta
