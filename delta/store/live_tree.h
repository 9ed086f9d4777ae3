// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveTree: pushes tables into the tree of a store, and keeps account of the space of earlier
// trees. A push that leaves too little space for a checkpoint is undone, and repeated without
// flushes, since that writes the least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "delta/store/disk/block_codec.h"
#include "delta/store/space_reserve.h"
#include "delta/store/table_stack.h"
#include "delta/store/tree/flusher.h"
#include "delta/store/tree/retired_blocks.h"
#include "delta/store/tree/tree_blocks.h"
#include "delta/store/tree_files.h"

namespace dgfs::delta {

/// For one thread at a time.
class LiveTree {
 public:
  /// All must outlive it.
  /// @param options  with the parameters of the store
  LiveTree(TreeFiles& files, TableStack& tables, SpaceReserve& reserve, const StoreOptions& options)
      : files_(files),
        tables_(tables),
        reserve_(reserve),
        options_(options),
        packer_(options.level),
        writer_(files.blocks, packer_, options.parameters.page_bytes(), files.source()),
        flusher_(files.source(), files.values, writer_, options.parameters, options.dirty_bytes) {}

  /// Marks the space that the tree uses. Call it once, before all other calls. Errors: kIo,
  /// kCorrupt.
  [[nodiscard]] Status mark_used_space();
  /// Pushes the settled tables into the tree one by one, and writes blocks of the tree when many
  /// are only in memory. Errors: kIo, kNoSpace, kCorrupt. If it throws, the caller calls give_up():
  /// then nothing has changed, except that some tables are in the tree.
  [[nodiscard]] Status push_tables();
  /// Flushes messages for ranges of keys down to their basements, range by range, until it has
  /// written as much as one checkpoint should. Errors and exceptions as above. Returns false if the
  /// disk has no space for it now.
  /// @param ranges  loses the ranges that are done
  [[nodiscard]] Result<bool> push_down(RangeTombstones& ranges);
  void give_up() { flusher_.give_up(); }
  /// Writes the blocks of a tree that have no place yet. Errors: kIo, kNoSpace.
  [[nodiscard]] Status write(const StoredNode& root);
  /// Replaces the tree by one with the same content. If it throws, nothing has changed.
  /// @param used_up  space that only the old tree uses
  void replace(const StoredNode& root, UsedSpace used_up);

  [[nodiscard]] StoredNode root() const { return tables_.root(); }

  /// The tree is durable. Frees the space of earlier trees, unless a view needs it, and of values
  /// that died before they were in the tree.
  void note_checkpoint();
  /// Call it when a view may have ended: frees the space that views had kept. Without memory to
  /// note that, it is done the next time. Returns whether a view had kept any.
  bool free_space();
  /// Space that only earlier trees use. none: it is not known completely, because memory is short
  /// or a tree cannot be read. Throws std::bad_alloc; has no other errors.
  [[nodiscard]] std::optional<UsedSpace> spare_space();
  [[nodiscard]] bool has_retired() const { return !retired_.empty(); }
  [[nodiscard]] const RetiredBlocks& retired() const { return retired_; }
  /// Whether a checkpoint would free any space.
  [[nodiscard]] bool waits_for_checkpoint() const {
    return retired_.waits_for_checkpoint() || files_.values.has_dropped();
  }

 private:
  [[nodiscard]] Status push_table(const MemtableRef& table);
  [[nodiscard]] Result<bool> push_down_some(const RangeTombstones& ranges, std::uint64_t bytes_max);
  void accept(StoredNode root, const Run& run, std::size_t tables);
  [[nodiscard]] Result<StoredNode> pushed(const StoredNode& root, const RunRef& run);
  Retired& replace_root(StoredNode root, std::size_t tables);
  [[nodiscard]] Status spill();
  void tell_space(Retired& retired);
  void tell_space(const StoredNode& subtree, UsedSpace& space);

  TreeFiles& files_;
  TableStack& tables_;
  SpaceReserve& reserve_;
  const StoreOptions options_;
  BlockPacker packer_;
  TreeWriter writer_;
  Flusher flusher_;
  RetiredBlocks retired_;
  bool has_lost_space_ = false;  ///< blocks that could not be read use some space
};

}  // namespace dgfs::delta
