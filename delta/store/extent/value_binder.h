// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueBinder: gives unbound values their places in the extent volume. Consecutive values lie side
// by side there, and short ones are written with one call: a series of values costs as much as one
// value of that length.
#pragma once

#include <vector>

#include "delta/store/extent/large_value.h"

namespace dgfs::delta {

/// For one thread. The values must outlive it, and no other thread may bind them meanwhile.
class ValueBinder {
 public:
  explicit ValueBinder(ExtentVolume& volume) : volume_(volume) {}

  /// Adds a value; writes the values so far if they are many. Ignores a bound value.
  /// Errors: those of BlockFile::write. After an error or an exception unwritten values stay
  /// unbound, and this must not be used any more.
  [[nodiscard]] Status add(const LargeValue& value);
  /// Writes the rest. The values are durable after a sync of the volume. Errors: those of add().
  [[nodiscard]] Status finish();

 private:
  ExtentVolume& volume_;
  std::vector<const LargeValue*> values_;  ///< unbound
  std::vector<ValueRef> contents_;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace dgfs::delta
