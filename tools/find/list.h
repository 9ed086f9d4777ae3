// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// find -ls: prints lines whose columns are as wide as the widest entry so far.
#pragma once

#include "tools/find/expression.h"

namespace dgfs::tools {

[[nodiscard]] FindTest list_action(FindRun& run);

}  // namespace dgfs::tools
