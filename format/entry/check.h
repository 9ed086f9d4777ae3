// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whether entries can be stored: they must not contradict themselves (docs/FORMAT.md, F-180).
#pragma once

#include <span>

#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::format {

/// What is said of entries that cannot be stored.
[[nodiscard]] Error contradiction(std::uint16_t code, const char* what);

/// One entry by itself. Errors: kInvalidArgument.
[[nodiscard]] Status check_entry(const Entry& entry);

/// Entries of one page: each by itself, keys of at least `prefix_bytes` that rise, and the running
/// sum of their data. Errors: kInvalidArgument.
[[nodiscard]] Status check_entries(std::span<const Entry> entries, std::size_t prefix_bytes);

}  // namespace dgfs::format
