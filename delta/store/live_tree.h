// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveTree: how tables get into the tree of a store, and what becomes of the space of the trees
// before. A push that leaves too little space for a checkpoint is undone, and done again without
// flushes, which is the least that there is to be written.
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

  /// Notes what the tree takes of the files. Once, before all other calls. Errors: kIo, kCorrupt.
  [[nodiscard]] Status mark_used_space();
  /// Settled tables get into the tree one by one, and blocks of it to the disk where many are in
  /// memory alone. Errors: kIo, kNoSpace, kCorrupt. Where it throws, give_up(): all is as it was,
  /// but for tables that have got in.
  [[nodiscard]] Status push_tables();
  /// Moves messages that wait for ranges of keys into their basements, range by range, until it has
  /// written as much as one checkpoint should. Errors and throws likewise. Returns false where the
  /// disk has no space for it now.
  /// @param ranges  those that it has not seen to stay
  [[nodiscard]] Result<bool> push_down(RangeTombstones& ranges);
  void give_up() { flusher_.give_up(); }
  /// Writes the blocks of a tree that have no place yet. Errors: kIo, kNoSpace.
  [[nodiscard]] Status write(const StoredNode& root);
  /// A tree that says the same takes the place of this one. If it throws, nothing has changed.
  /// @param used_up  what it has no use for
  void replace(const StoredNode& root, UsedSpace used_up);

  [[nodiscard]] StoredNode root() const { return tables_.root(); }

  /// The tree is durable: what trees before have left is free, unless somebody has a view of them,
  /// and so are values that died before the tree had them.
  void note_checkpoint();
  /// Somebody may have let go of a view. What finds no memory is freed the next time. Returns
  /// whether a view had kept any.
  bool free_space();
  /// What is in use by trees before and not by this one. none: not all of it is known, for a lack
  /// of memory, or because it cannot be read. Errors: none but std::bad_alloc, which it throws.
  [[nodiscard]] std::optional<UsedSpace> spare_space();
  [[nodiscard]] bool has_retired() const { return !retired_.empty(); }
  [[nodiscard]] const RetiredBlocks& retired() const { return retired_; }
  /// Whether a checkpoint would free anything.
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
  bool has_lost_space_ = false;  ///< some is in use by nothing that could be read
};

}  // namespace dgfs::delta
