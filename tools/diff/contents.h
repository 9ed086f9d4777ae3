// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares the contents of two files; does not read where both have a hole.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "tools/diff/tree.h"

namespace dgfs::tools {

/// The first byte in which two contents of `size_bytes` differ, or at which one of them ends early;
/// nullopt if they are equal. A hole equals zeros. Reads both sides where either has data, and
/// short holes between data. Ends early with nullopt when `stop` is set. Errors: those of reading.
[[nodiscard]] Result<std::optional<std::uint64_t>> first_difference(const DiffContent& first,
                                                                    const DiffContent& second,
                                                                    std::uint64_t size_bytes,
                                                                    const std::atomic<bool>& stop);

}  // namespace dgfs::tools
