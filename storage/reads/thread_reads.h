// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads by threads that wait for one each. It is no reader/work_pool.h: threads begin as reads pile
// up, results are waited for one by one, and the end of a read may need no memory.
#pragma once

#include <memory>

#include "storage/reads/posix_reads.h"

namespace dgfs::storage {

/// Starts threads as reads find none idle, up to `depth` and to what the system grants; without
/// any, begin() reads.
[[nodiscard]] std::unique_ptr<PosixReads> make_thread_reads(unsigned depth);

}  // namespace dgfs::storage
