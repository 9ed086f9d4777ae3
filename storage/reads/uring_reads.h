// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads through io_uring.
#pragma once

#include <memory>

#include "storage/reads/posix_reads.h"

namespace dgfs::storage {

/// Returns null if the system has no io_uring, or forbids it.
/// @param depth  most reads under way
[[nodiscard]] std::unique_ptr<PosixReads> make_uring_reads(unsigned depth);

}  // namespace dgfs::storage
