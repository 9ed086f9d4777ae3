// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// HeapMeter: the most bytes that operator new had handed out at once, over the life of the meter.
// Linking it replaces operator new and delete of the program.
#pragma once

#include <cstddef>

namespace dgfs::test {

/// Only one may live at a time. Counts all threads.
class HeapMeter {
 public:
  HeapMeter();
  /// The peak above the bytes that were allocated when the meter was made.
  [[nodiscard]] std::size_t peak_bytes() const;

 private:
  std::size_t begin_bytes_;
};

}  // namespace dgfs::test
