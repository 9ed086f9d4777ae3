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

/// Those points and parts of range tombstones that lie in `range`. Cost: a copy of them, nothing if
/// that is all.
[[nodiscard]] RunRef clipped(const RunRef& run, const KeyRange& range);
/// What a run says of the keys from one on, before that of the next slice. A value.
struct RunSlice {
  std::string low;  ///< of the first: empty
  RunRef run;
};
/// Slices of about equal size in key order, none much above `bytes_max` unless a message is; at
/// least one, the run itself if that will do. Cost: a copy.
[[nodiscard]] std::vector<RunSlice> cut(const RunRef& run, std::uint64_t bytes_max);
/// The same without range tombstones over young keys, as of object_key.h.
[[nodiscard]] RunRef with_tombstones_over_older(const RunRef& run, std::uint64_t born_object);
/// For the lowest level of a store. Erasures have done their work; of young keys removals and range
/// tombstones have, too, and patches change empty values.
[[nodiscard]] RunRef settled(const RunRef& run, std::uint64_t born_object);

}  // namespace dgfs::delta
