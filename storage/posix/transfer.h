// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whole transfers over system calls that may do only a part: loops over pread, preadv and pwrite.
// Also through O_DIRECT descriptors, which need aligned offsets, lengths and buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "storage/scatter.h"

namespace dgfs::storage {

/// O_DIRECT needs this alignment of offsets, lengths and addresses. Devices require their logical
/// block, 512 or 4096 bytes; the larger satisfies both.
inline constexpr std::size_t kDirectAlignmentBytes = 4096;

/// Bytes done, and the errno of the call that ended the transfer early (0: none). A read without an
/// error that is shorter than asked for has reached the end of the file.
struct Transfer {
  std::size_t done_bytes = 0;
  int os_errno = 0;
};

[[nodiscard]] Transfer read_all(int fd, std::uint64_t offset_bytes, MutableBytes out);
[[nodiscard]] Transfer read_all(int fd, std::uint64_t offset_bytes, Scatter outs);
[[nodiscard]] Transfer write_all(int fd, std::uint64_t offset_bytes, Bytes data);
/// @param parts  at most kScatterSpansMax
[[nodiscard]] Transfer write_all(int fd, std::uint64_t offset_bytes, std::span<const Bytes> parts);

/// Reads through `fd`, which was opened with O_DIRECT, at any offset into any buffers. Reads
/// directly into them if all is aligned, otherwise through an aligned bounce buffer (one
/// allocation).
[[nodiscard]] Transfer read_all_direct(int fd, std::uint64_t offset_bytes, Scatter outs);

/// Writes the whole blocks of the range through `direct_fd` and the partial blocks at its ends
/// through `cached_fd`, another descriptor of the same file. The kernel keeps the two coherent,
/// and unlike read-modify-write this cannot undo a neighbouring write of another thread.
[[nodiscard]] Transfer write_all_direct(int direct_fd, int cached_fd, std::uint64_t offset_bytes,
                                        Bytes data);
/// The same for several parts, one behind the other. Copies them together first.
[[nodiscard]] Transfer write_all_direct(int direct_fd, int cached_fd, std::uint64_t offset_bytes,
                                        std::span<const Bytes> parts);

}  // namespace dgfs::storage
