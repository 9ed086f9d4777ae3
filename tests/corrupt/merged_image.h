// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An image as only merges make it: contents stay in the volumes of an older image.
#pragma once

#include "format/entry/entry.h"
#include "tests/corrupt/prober.h"

namespace dgfs::test {

/// Its volumes 1 and 2 are the two volumes of an older image, which lie beside it. It uses all that
/// builds do not: gaps where files are gone, addresses of what has moved, numbers in several blocks
/// of runs, names without a number, objects without a name, the id of a state.
[[nodiscard]] const ImageFiles& merged_image();

/// Names of the older image's volumes.
inline constexpr const char* kOldVolume = "old.dgfs";
inline constexpr const char* kOldFurtherVolume = "old.1";

}  // namespace dgfs::test
