// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/bytes.h"

namespace dgfs::storage {

/// Fills `out` with unpredictable bytes of the kernel's generator. It has no way to fail on
/// Linux 3.17 or later; ends the program if it does, rather than go on with predictable ones.
void posix_random(MutableBytes out);

}  // namespace dgfs::storage
