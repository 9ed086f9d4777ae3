// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whether the records of all stores, over the image, make one sound tree.
#pragma once

#include <functional>

#include "base/result.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Holds all records against each other and against the image, and tells each place where they
/// break a Rule. Nobody may change them meanwhile. Damaged records are findings; what depends on
/// them is not judged. What the image says of objects that no store says anything of is not
/// checked. Errors: kIo, kCorrupt (the store or the image cannot be read). Throws std::bad_alloc.
/// Cost: that of the records, and of the directories that were changed. Memory: about 50 bytes for
/// each directory that was changed and has subdirectories, none for others of a sound tree, and
/// some hundred bytes for each damaged record.
[[nodiscard]] Status check_namespace(const Layers& layers,
                                     const std::function<void(const Finding&)>& found);

}  // namespace dgfs::view
