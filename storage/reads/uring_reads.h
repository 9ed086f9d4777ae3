// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads through io_uring.
#pragma once

#include <memory>

#include "storage/reads/posix_reads.h"

namespace dgfs::storage {

/// Null where the system has no io_uring, or forbids it.
/// @param depth  reads under way at most
[[nodiscard]] std::unique_ptr<PosixReads> make_uring_reads(unsigned depth);

}  // namespace dgfs::storage
