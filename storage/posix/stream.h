// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Input that is read once, from begin to end: pipes, FIFOs, the standard input, and files too.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace dgfs::storage {

/// Everything that can be read from `path`; "-" is the standard input, from where it stands. Waits
/// for writers of a FIFO. A signal that is caught ends it.
/// Errors: kLimit beyond `bytes_max`, kInterrupted, kNotFound, kIsDirectory, kPermission, kIo.
[[nodiscard]] Result<std::string> posix_read_stream(const std::string& path,
                                                    std::uint64_t bytes_max);

/// Whether a program reads what is written to the descriptor: a pipe, FIFO or socket.
[[nodiscard]] bool posix_is_pipe(int descriptor);

}  // namespace dgfs::storage
