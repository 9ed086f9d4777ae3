// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <vector>

#include "builder/report.h"
#include "builder/spool/tree_spool.h"
#include "builder/stop.h"

namespace dgfs::builder {

/// The largest contents of a scanned tree that are packed, the largest first; of equal ones, the
/// first names. Reads the spool once. Errors: kInterrupted; those of Spool::read().
/// @param count  how many
[[nodiscard]] Result<std::vector<LargeContent>> largest_contents(const TreeSpool& tree,
                                                                 std::size_t count,
                                                                 const StopFlag& stop);

}  // namespace dgfs::builder
