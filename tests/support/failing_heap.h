// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FailingHeap: replaces operator new of this program, counts its calls, and can make one of them
// fail, or all from one on. Calls of malloc() by the C library and zstd are not counted and do not
// fail.
#pragma once

#include <cstdint>

namespace dgfs::test {

/// Counts and fails calls of all threads while it lives; one at a time.
class FailingHeap {
 public:
  enum class Lasts : bool { kOnce, kOn };
  /// @param call   the call that fails, from 1 on; 0: none
  /// @param lasts  kOn: all later calls fail, too
  explicit FailingHeap(std::uint64_t call, Lasts lasts = Lasts::kOnce);
  ~FailingHeap();
  FailingHeap(const FailingHeap&) = delete;
  FailingHeap& operator=(const FailingHeap&) = delete;

  /// Whether the call was reached.
  [[nodiscard]] bool failed() const;
  /// The bytes of all calls since its construction, freed or not.
  [[nodiscard]] std::uint64_t allocated_bytes() const;
};

}  // namespace dgfs::test
