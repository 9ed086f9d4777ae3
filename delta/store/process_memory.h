// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

namespace dgfs::delta {

/// For a program whose memory is to stay close to the bound of its stores
/// (StoreOptions::memory_bytes). From then on the C library gives freed memory back to the system:
/// pieces of 128 KiB and more, and the end of the heap once 128 KiB of it are free. glibc would
/// otherwise raise both bounds to the length of the runs that are freed, and keep as much. Call it
/// once, before other threads start. Does nothing with another C library.
void give_back_freed_memory();

}  // namespace dgfs::delta
