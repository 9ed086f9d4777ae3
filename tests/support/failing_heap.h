// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FailingHeap: operator new of this program, one call of which can be made to fail, or all from one
// on, and which counts. What the C library and zstd take with malloc() is not counted and does not
// fail.
#pragma once

#include <cstdint>

namespace dgfs::test {

/// Counts and fails calls of all threads while it lives; one at a time.
class FailingHeap {
 public:
  enum class Lasts : bool { kOnce, kOn };
  /// @param call   the one that fails, from 1 on; 0 = none
  /// @param lasts  kOn: so do all that come after it
  explicit FailingHeap(std::uint64_t call, Lasts lasts = Lasts::kOnce);
  ~FailingHeap();
  FailingHeap(const FailingHeap&) = delete;
  FailingHeap& operator=(const FailingHeap&) = delete;

  /// Whether the call was reached.
  [[nodiscard]] bool failed() const;
  /// What all calls since it began have taken, given back or not.
  [[nodiscard]] std::uint64_t allocated_bytes() const;
};

}  // namespace dgfs::test
