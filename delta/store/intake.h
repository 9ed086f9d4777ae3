// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What happens to a batch before a store takes it in: it is checked and measured, and its large
// values become shared values.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/run/batch.h"
#include "delta/store/run/late_binding.h"

namespace dgfs::delta {

/// The most that a batch takes. A value.
struct BatchSize {
  std::size_t table_bytes = 0;  ///< in memory and in the log, without large values
  std::size_t value_bytes = 0;  ///< of large values, on disk
  std::size_t operations = 0;
};

/// Errors: kLimit (a key or a value too long).
[[nodiscard]] Status check_batch(const Batch& batch);
/// Whether all operations remove something: such a batch is small, and frees space later.
[[nodiscard]] bool removes_only(const Batch& batch);
/// @param bounds  which values are large as they come; merged changes may make more of them large
///                (late_bound()), but these take no space from other batches
[[nodiscard]] BatchSize size_of(const Batch& batch, const LargeBounds& bounds);
/// The batch with its large values as unbound values. The table and the run of the group share
/// them, so that a value is bound for both at once.
/// @param volume  will hold them; must outlive them
[[nodiscard]] Batch with_large_values(const Batch& batch, const LargeBounds& bounds,
                                      ExtentVolume& volume);

}  // namespace dgfs::delta
