// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PosixReads: reads of descriptors, many under way at once. This part of a ReadQueue differs
// between io_uring and threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace dgfs::storage {

/// The result of a read: the bytes read, fewer than wanted for any reason, or -errno. A value.
struct EndedRead {
  std::size_t slot = 0;
  std::int64_t result = 0;
};

/// For one thread. Must not be destroyed while reads are under way.
class PosixReads {
 public:
  virtual ~PosixReads() = default;
  PosixReads() = default;
  PosixReads(const PosixReads&) = delete;
  PosixReads& operator=(const PosixReads&) = delete;

  /// Begins a read, or throws std::bad_alloc without having begun. The read uses `out` until it has
  /// ended; wait() then returns `slot`.
  virtual void begin(std::size_t slot, int fd, std::uint64_t offset_bytes, MutableBytes out) = 0;
  /// Waits for any read to end; at least one must be under way.
  [[nodiscard]] virtual EndedRead wait() = 0;
  [[nodiscard]] virtual const char* name() const = 0;
};

}  // namespace dgfs::storage
