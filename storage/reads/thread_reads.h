// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads by threads; each thread waits for one read. Does not use reader/work_pool.h: threads start
// as reads pile up, results are awaited one by one, and ending a read must need no memory.
#pragma once

#include <memory>

#include "storage/reads/posix_reads.h"

namespace dgfs::storage {

/// Starts a thread when a read finds none idle, up to `depth` and as many as the system grants. If
/// it grants none, begin() reads.
[[nodiscard]] std::unique_ptr<PosixReads> make_thread_reads(unsigned depth);

}  // namespace dgfs::storage
