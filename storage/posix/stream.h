// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads input once, from beginning to end: pipes, FIFOs, the standard input, and also files.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace dgfs::storage {

/// Reads everything that `path` holds; "-" is the standard input, from its current position on.
/// Waits for writers of a FIFO. A caught signal ends the read. Errors: kLimit beyond `bytes_max`,
/// kInterrupted, kNotFound, kIsDirectory, kPermission, kIo.
[[nodiscard]] Result<std::string> posix_read_stream(const std::string& path,
                                                    std::uint64_t bytes_max);

/// Reads a line from the standard input, without its end. For what people type: two calls of the
/// system for each byte. Errors: kInterrupted, kIo.
/// @param stop  set, by a signal or another thread: the read ends within a tenth of a second
[[nodiscard]] Result<std::string> posix_read_line(const std::atomic<bool>& stop);

/// Whether another program reads the bytes written to the descriptor: a pipe, FIFO or socket.
[[nodiscard]] bool posix_is_pipe(int descriptor);

}  // namespace dgfs::storage
