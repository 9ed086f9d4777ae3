// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes one sound tree again of records that break rules.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Told of each finding that was mended, in plain words of what was done.
using Mended = std::function<void(const Finding& finding, std::string_view action)>;

inline constexpr std::size_t kFindingsMax = 100'000;

/// Mends what check_namespace() finds, until it finds nothing, and returns how many findings that
/// were. What can be told from other records or the image is put right, all else is dropped.
/// Objects that no name leads to get one in the directory lost+found of the root, "#NUMBER".
///
/// Each finding is mended by batches of its own, in the newest store; a crash, or an error, leaves
/// some mended. No view of the layers may be open; the caller syncs the store.
/// @param now           the time of what is made
/// @param findings_max  that are kept in memory, some hundred bytes each; at least 1
/// Errors: those of check_namespace() and Store::apply(); kCorrupt (it finds no end).
/// Cost: that of some checks; one more for each level of directories that are lost below each
/// other, and for each `findings_max` findings.
[[nodiscard]] Result<std::uint64_t> repair_namespace(const Layers& layers, const Time& now,
                                                     const Mended& mended,
                                                     std::size_t findings_max = kFindingsMax);

}  // namespace dgfs::view
