// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

namespace dgfs::delta {

/// For a program whose memory is to stay near what its stores hold (StoreOptions::memory_bytes):
/// what is freed goes back to the system at once where it is 128 KiB long or lies at the end of the
/// heap. Left alone, glibc takes runs of the tree for pieces that will be wanted again, and keeps
/// them. Once, before other threads begin; does nothing where the C library is another one.
void give_back_freed_memory();

}  // namespace dgfs::delta
