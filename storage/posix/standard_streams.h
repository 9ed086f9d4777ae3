// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The descriptors 0, 1 and 2 of a process.
#pragma once

namespace dgfs::storage {

/// Occupies each of the descriptors 0, 1 and 2 that is closed, so that no file opened later gets
/// such a number: output would go into that file, and a daemon puts /dev/null in its place. Reads
/// and writes of an occupied descriptor fail with EBADF, as those of a closed one. Programs that
/// the process starts inherit it. Call it first in main(). Not thread-safe.
void occupy_standard_streams() noexcept;

}  // namespace dgfs::storage
