// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads input once, from beginning to end: pipes, FIFOs, the standard input, and also files.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace dgfs::storage {

/// Reads everything that `path` holds; "-" is the standard input, from its current position on.
/// Waits for writers of a FIFO. A caught signal ends the read. Errors: kLimit beyond `bytes_max`,
/// kInterrupted, kNotFound, kIsDirectory, kPermission, kIo.
[[nodiscard]] Result<std::string> posix_read_stream(const std::string& path,
                                                    std::uint64_t bytes_max);

/// Whether another program reads the bytes written to the descriptor: a pipe, FIFO or socket.
[[nodiscard]] bool posix_is_pipe(int descriptor);

}  // namespace dgfs::storage
