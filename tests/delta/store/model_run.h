// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A store of tiny parameters at random work beside a std::map: a few hundred operations split,
// flush, merge and checkpoint, and change the segment of the log.
#pragma once

#include <cstdint>

namespace dgfs::test {

/// Expects that both answer alike: to gets, to cursors that outlive what comes after, and when the
/// store is opened again. Ends at the first failure.
/// @param seed  of parameters and work
/// Returns the number of operations.
std::uint64_t expect_like_a_map(std::uint64_t seed);

}  // namespace dgfs::test
