// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Repairs records that break rules, so that they make one sound tree again.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Gets each finding that was repaired, and in plain words what was done.
using Mended = std::function<void(const Finding& finding, std::string_view action)>;

inline constexpr std::size_t kFindingsMax = 100'000;

/// Repairs the findings of check_namespace() until there are none, and returns their number. Facts
/// that other records or the image tell are put right; everything else is dropped. Objects without
/// a name get one in the directory lost+found of the root, "#NUMBER".
///
/// Repairs each finding by batches of its own, in the newest store; after a crash or an error some
/// findings are repaired. No view of the layers may be open; the caller syncs the store.
/// @param now           time for new objects and changes
/// @param findings_max  kept in memory, some hundred bytes each; at least 1
/// Errors: those of check_namespace() and Store::apply(); kCorrupt (the repair does not come to an
/// end).
/// Cost: several checks; one more for each level of directories that are lost below each other, and
/// for each `findings_max` findings.
[[nodiscard]] Result<std::uint64_t> repair_namespace(const GenerationRef& layers, const Time& now,
                                                     const Mended& mended,
                                                     std::size_t findings_max = kFindingsMax);

}  // namespace dgfs::view
