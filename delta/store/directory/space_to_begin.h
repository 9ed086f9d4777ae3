// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>

#include "delta/store/store_options.h"

namespace dgfs::delta {

/// Disk space that a new store needs to take in changes: its log, its reserve, and a megabyte for
/// the first changes. An upper bound.
[[nodiscard]] std::uint64_t bytes_to_begin(const StoreOptions& wanted);

}  // namespace dgfs::delta
