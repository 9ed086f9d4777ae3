// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

namespace dgfs::delta {

/// For a program whose memory shall stay near what its stores hold (StoreOptions::memory_bytes).
/// The C library gives freed memory back to the system from then on: pieces of 128 KiB and more,
/// and the end of the heap once 128 KiB of it are free. glibc would otherwise raise these bounds to
/// the length of the runs that are freed, and keep as much. Call it once, before other threads
/// begin. It does nothing in another C library.
void give_back_freed_memory();

}  // namespace dgfs::delta
