// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The blocks of a tree: writes the unwritten ones, and lists all.
#pragma once

#include <functional>
#include <vector>

#include "delta/store/disk/block_codec.h"
#include "delta/store/tree/node.h"

namespace dgfs::delta {

/// For one thread.
class TreeWriter {
 public:
  /// @param file    takes the blocks; that of `source`; must outlive it
  /// @param packer  likewise
  /// @param page_bytes  as of pack_run()
  TreeWriter(BlockFile& file, BlockPacker& packer, std::size_t page_bytes,
             const BlockSource& source)
      : file_(file), packer_(packer), page_bytes_(page_bytes), source_(source) {}

  /// Writes blocks that have no place yet, children before the nodes that refer to them.
  /// Errors: those of BlockFile::write and of Stored::load; blocks that were written stay.
  [[nodiscard]] Status write(const StoredNode& root);
  /// Writes a single run.
  [[nodiscard]] Status write_run(const StoredRun& run);
  /// Frees a block that it has written and that has no references. If it throws std::bad_alloc,
  /// nothing has changed.
  void free(const Extent& block);

 private:
  [[nodiscard]] Status write_node(const StoredNode& node);

  BlockFile& file_;
  BlockPacker& packer_;
  std::size_t page_bytes_;
  BlockSource source_;
  Buffer block_;  ///< reused for each block
};

/// Roughly the bytes, in memory, of what a TreeWriter would write. Errors: those of Stored::load.
[[nodiscard]] Result<std::uint64_t> unwritten_bytes(const Stored<Node>& root,
                                                    const BlockSource& source);

/// The file of an extent.
enum class SpaceKind : std::uint8_t { kBlock, kValue };

using SpaceSink = std::function<Status(SpaceKind, const Extent&)>;
/// Gives `sink` the extent of each block of a tree that is on disk, a node before what it refers
/// to, and of each large value. Reads nodes, but no runs. Errors: those of the sink and of
/// Stored::load.
[[nodiscard]] Status each_extent(const StoredNode& root, const BlockSource& source,
                                 const SpaceSink& sink);

}  // namespace dgfs::delta
