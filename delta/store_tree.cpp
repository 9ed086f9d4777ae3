// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How tables get into the tree of a store, and what becomes of the space of the trees before.
//
// Space for a checkpoint is kept in reserve: for what of the tree is not written, and for as many
// tables as may wait. A batch is refused where it cannot be kept, so that what has been taken in
// gets into the tree on a full disk, too; a push that leaves too little for that is undone, and
// done again without flushes, which is the least that there is to be written.
#include <algorithm>
#include <utility>

#include "delta/store.h"
#include "delta/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

// Tables that wait; each adds a run to each slot of the root.
constexpr std::uint64_t kTablesMax = 16;

}  // namespace

// As one, so that a slot of the root gets one run of them.
Status Store::push_tables() {
  const FrozenRef table = join_settled_tables();
  if (table == nullptr) return ok();
  const RunRef run = table->run();
  DGFS_TRY(root, push(current_root(), run));
  TreeHold hold;
  {
    const std::lock_guard lock(state_lock_);
    hold = view_->hold;
    TreeView after{std::move(root),
                   {view_->tables.begin() + 1, view_->tables.end()},
                   std::make_shared<const int>()};
    view_ = std::make_shared<const TreeView>(std::move(after));
    settled_tables_ = 0;
  }
  editor_.accept(*run);
  retire(hold);
  return spill();
}

Result<StoredNode> Store::push(const StoredNode& root, const RunRef& run) {
  auto pushed = editor_.push(root, run);
  if (!pushed && pushed.error().kind() != ErrorKind::kNoSpace) return pushed;
  if (pushed) {
    DGFS_TRY(is_kept, keep_reserve(*pushed.value()));
    if (is_kept) return pushed;
  }
  DGFS_TRY(least, editor_.push(root, run, false));
  DGFS_CHECK(keep_reserve(*least));
  return least;
}

Result<bool> Store::keep_reserve(const Stored<Node>& root) {
  DGFS_TRY(unwritten, unwritten_bytes(root, source()));
  const std::uint64_t tables_bytes = 2 * options_.table_bytes + parameters_.segment_bytes / 4 +
                                     kTablesMax * (parameters_.fanout + 2) * kBlockAlignmentBytes +
                                     4 * root.size_bytes();
  auto reserved = blocks_.reserve(unwritten + tables_bytes);
  const std::lock_guard lock(state_lock_);
  refusal_.reset();
  if (!reserved) refusal_ = std::move(reserved).error();
  return !refusal_;
}

Status Store::find_space() {
  bool is_checkpoint_due = false;
  {
    const std::lock_guard lock(state_lock_);
    is_checkpoint_due = in_tree_ < applied_;
  }
  if (!is_checkpoint_due) {
    const std::lock_guard lock(work_);
    is_checkpoint_due = retired_.waits_for_checkpoint() || extents_.has_dropped();
    if (!is_checkpoint_due) {
      free_space();  // a cursor may have let go of it
      const auto root = current_root();
      DGFS_CHECK(keep_reserve(*root));
    }
  }
  return is_checkpoint_due ? checkpoint() : ok();
}

StoredNode Store::current_root() const {
  const std::lock_guard lock(state_lock_);
  return view_->root;
}

// Blocks that are written before a checkpoint asks for it are in nobody's way: a crash forgets
// them. Those that are changed again were written in vain.
Status Store::spill() {
  const auto root = current_root();
  DGFS_TRY(bytes, unwritten_bytes(*root, source()));
  return bytes > options_.dirty_bytes ? write_tree(root) : Status(ok());
}

Status Store::write_tree(const StoredNode& root) {
  return TreeWriter(blocks_, packer_, parameters_.page_bytes(), source()).write(root);
}

void Store::retire(const TreeHold& hold) {
  auto space = editor_.take_retired();
  for (const auto& subtree : editor_.take_dropped()) {
    // What cannot be read here is found to be free when the store is opened again.
    static_cast<void>(each_extent(subtree, source(), [&](SpaceKind kind, const Extent& extent) {
      (kind == SpaceKind::kBlock ? space.blocks : space.values).push_back(extent);
      return Status(ok());
    }));
  }
  retired_.add(hold, std::move(space));
}

void Store::free_space() {
  const UsedSpace space = retired_.take_free();
  for (const Extent& block : space.blocks) {
    cache_.erase(block.offset_bytes);
    blocks_.free(block);
  }
  for (const Extent& value : space.values) extents_.file().free(value);
}

}  // namespace dgfs::delta
