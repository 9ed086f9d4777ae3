// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The blocks of a tree: those that have to be written, and all that it reaches.
#pragma once

#include <functional>

#include "delta/tree/node.h"

namespace dgfs::delta {

/// Writes what has no place yet, children before those that refer to them.
/// Errors: those of BlockFile::write and of Stored::load; what has been written stays so.
[[nodiscard]] Status write_tree(const StoredNode& root, BlockFile& file, const BlockSource& source);

/// Which file an extent is of.
enum class SpaceKind : std::uint8_t { kBlock, kValue };

using SpaceSink = std::function<Status(SpaceKind, const Extent&)>;
/// Gives `sink` the extent of each block of a tree that is on disk, a node before what it refers
/// to, and those of all large values. Reads nodes and no runs. Errors: those of the sink and of
/// Stored::load.
[[nodiscard]] Status each_extent(const StoredNode& root, const BlockSource& source,
                                 const SpaceSink& sink);

}  // namespace dgfs::delta
