// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// AnnouncedReads: reads that the system was told of before they are made, and so are under way
// already. Who makes one waits for the rest of it awake.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "storage/posix/transfer.h"

namespace dgfs::storage {

/// Of one file. Lock-free, thread-safe. Remembers the last few; a read that was forgotten is made
/// like any other.
class AnnouncedReads {
 public:
  /// A read that begins at `offset_bytes` has been announced to the system.
  void add(std::uint64_t offset_bytes) noexcept;

  /// If such a read was announced, does as much of it as is there within 100 µs, and advances
  /// `outs` by that; what is left, any error included, is for an ordinary read to find. An idle
  /// core is asleep when the device answers, and in a virtual machine waking it took 40 µs of a
  /// read of 100. One thread at a time waits so: where there are more, no core is idle.
  /// @return bytes done
  [[nodiscard]] std::size_t read(int fd, std::uint64_t offset_bytes, Scatter& outs);

 private:
  [[nodiscard]] bool take(std::uint64_t offset_bytes) noexcept;

  static constexpr std::size_t kReadsMax = 16;
  std::array<std::atomic<std::uint64_t>, kReadsMax> begins_{};  ///< plus one; 0: none
  std::atomic<std::size_t> next_{0};
  std::atomic_flag waiting_;
};

}  // namespace dgfs::storage
