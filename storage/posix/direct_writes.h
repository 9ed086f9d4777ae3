// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes a file bypass the page cache that was not opened with OpenOptions::direct.
#pragma once

#include "storage/file.h"

namespace dgfs::storage {

/// From now on, whole blocks written to `file` bypass the page cache if the file system can do so.
/// For content that is not read again soon. Has no effect on files that are not the operating
/// system's. Not thread-safe: call it before others use the file.
void write_past_cache(File& file);

}  // namespace dgfs::storage
