// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random work on a store with tiny parameters and on a std::map: a few hundred operations cause
// splits, flushes, merges, checkpoints and changes of the log segment.
#pragma once

#include <cstdint>

namespace dgfs::test {

/// Expects the same answers from both: to gets, to cursors that outlive later changes, and after
/// the store is opened again. Ends at the first failure.
/// @param seed  of parameters and work
/// @return the number of operations
std::uint64_t expect_like_a_map(std::uint64_t seed);

}  // namespace dgfs::test
