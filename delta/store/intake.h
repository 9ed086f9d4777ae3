// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What becomes of a batch before a store takes it in: it is checked, and measured, and its large
// values become values that are shared.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/run/batch.h"
#include "delta/store/run/late_binding.h"

namespace dgfs::delta {

/// What a batch asks for, at most. A value.
struct BatchSize {
  std::size_t table_bytes = 0;  ///< of memory and of the log, without large values
  std::size_t value_bytes = 0;  ///< of these, on disk
  std::size_t operations = 0;
};

/// Errors: kLimit (a key or a value too long).
[[nodiscard]] Status check_batch(const Batch& batch);
/// What removes makes space, some day, and is small.
[[nodiscard]] bool removes_only(const Batch& batch);
/// @param bounds  of what is large as it comes; what the changes come to may make more so
///                (late_bound()), which takes space from nobody else
[[nodiscard]] BatchSize size_of(const Batch& batch, const LargeBounds& bounds);
/// The same with large values that are unbound: the table and the run of the group share one, so
/// that it is bound for both at once.
/// @param volume  shall have them; must outlive them
[[nodiscard]] Batch with_large_values(const Batch& batch, const LargeBounds& bounds,
                                      ExtentVolume& volume);

}  // namespace dgfs::delta
