// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Writing past the page cache a file that was not opened so.
#pragma once

#include "storage/file.h"

namespace dgfs::storage {

/// Whole blocks written to `file` from now on go past the page cache where the file system can: for
/// content that is not read again soon. Without effect on files of other kinds than the system's.
/// Not thread-safe: to be called before others use the file.
void write_past_cache(File& file);

}  // namespace dgfs::storage
