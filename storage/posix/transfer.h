// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whole transfers over system calls that may do a part: loops over pread, preadv and pwrite, and
// the same through O_DIRECT descriptors, whose offsets, lengths and buffers must be aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "storage/scatter.h"

namespace dgfs::storage {

/// What O_DIRECT asks of offsets, lengths and addresses. Devices want their logical block, 512
/// or 4096 bytes; the larger satisfies both.
inline constexpr std::size_t kDirectAlignmentBytes = 4096;

/// Bytes done, and errno of the call that ended the transfer early (0: none). A read with less
/// than was asked for and no error reached the end of the file.
struct Transfer {
  std::size_t done_bytes = 0;
  int os_errno = 0;
};

[[nodiscard]] Transfer read_all(int fd, std::uint64_t offset_bytes, MutableBytes out);
[[nodiscard]] Transfer read_all(int fd, std::uint64_t offset_bytes, Scatter outs);
[[nodiscard]] Transfer write_all(int fd, std::uint64_t offset_bytes, Bytes data);
/// @param parts  at most kScatterSpansMax
[[nodiscard]] Transfer write_all(int fd, std::uint64_t offset_bytes, std::span<const Bytes> parts);

/// Reads through `fd`, opened with O_DIRECT, at any offset into any buffers: straight into them
/// where all is aligned, else through an aligned bounce buffer (one allocation).
[[nodiscard]] Transfer read_all_direct(int fd, std::uint64_t offset_bytes, Scatter outs);

/// Writes the whole blocks of the range through `direct_fd` and the partial blocks at its ends
/// through `cached_fd`, another descriptor of the same file. The kernel keeps the two coherent,
/// and unlike read-modify-write this cannot undo a neighbouring write of another thread.
[[nodiscard]] Transfer write_all_direct(int direct_fd, int cached_fd, std::uint64_t offset_bytes,
                                        Bytes data);
/// The same of several parts, side by side: they are copied together first.
[[nodiscard]] Transfer write_all_direct(int direct_fd, int cached_fd, std::uint64_t offset_bytes,
                                        std::span<const Bytes> parts);

}  // namespace dgfs::storage
