// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks whether entries can be stored: they must not contradict themselves (docs/FORMAT.md,
// F-180).
#pragma once

#include <span>

#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::format {

/// The error for entries that cannot be stored.
[[nodiscard]] Error contradiction(std::uint16_t code, const char* what);

/// Checks one entry by itself. Errors: kInvalidArgument.
[[nodiscard]] Status check_entry(const Entry& entry);

/// Checks the entries of one page: each by itself, that keys have at least `prefix_bytes` and rise,
/// and the running sum of their data. Errors: kInvalidArgument.
[[nodiscard]] Status check_entries(std::span<const Entry> entries, std::size_t prefix_bytes);

}  // namespace dgfs::format
