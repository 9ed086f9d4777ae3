// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueBinder: gives unbound values their places in the extent volume. Those that come one after
// the other lie side by side there, and are written with one call as far as they are short: a run
// of values costs what one value of its length does.
#pragma once

#include <vector>

#include "delta/store/extent/large_value.h"

namespace dgfs::delta {

/// For one thread. Values must outlive it, and no other one may bind them.
class ValueBinder {
 public:
  explicit ValueBinder(ExtentVolume& volume) : volume_(volume) {}

  /// Writes the values so far if they are many. One that is bound stays where it is.
  /// Errors: those of BlockFile::write; values that were not written stay unbound, also if it
  /// throws, and this is of no more use then.
  [[nodiscard]] Status add(const LargeValue& value);
  /// Writes the rest. Durable after a sync of the volume. Errors: those of add().
  [[nodiscard]] Status finish();

 private:
  ExtentVolume& volume_;
  std::vector<const LargeValue*> values_;  ///< unbound
  std::vector<ValueRef> contents_;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace dgfs::delta
