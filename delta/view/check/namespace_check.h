// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks whether the records of all stores, over the image, make one sound tree.
#pragma once

#include <functional>

#include "base/result.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/moment.h"
#include "delta/view/stop_flag.h"

namespace dgfs::view {

/// Compares all records with each other and with the image, and reports each place where they break
/// a Rule. No other thread may change them meanwhile. Damaged records are findings; rules that
/// depend on their content are not checked. Objects without records in a store are not checked.
/// Errors: kIo, kCorrupt (the store or the image cannot be read), kInterrupted (`stop` was set).
/// Throws std::bad_alloc. Cost: reads the records, and the directories that were changed. Memory:
/// in a sound tree about 50 bytes for each changed directory with subdirectories, and some hundred
/// bytes for each damaged record.
[[nodiscard]] Status check_namespace(const GenerationRef& layers,
                                     const std::function<void(const Finding&)>& found,
                                     StopFlag stop = StopFlag());

}  // namespace dgfs::view
