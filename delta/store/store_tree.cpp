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

#include "delta/store/store.h"
#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

// Tables that wait; each adds a run to each slot of the root.
constexpr std::uint64_t kTablesMax = 16;

}  // namespace

// Each of them makes a new tree, of which little is in memory alone when the next one comes.
Status Store::push_tables() {
  for (const FrozenRef& table : settled_tables()) {
    DGFS_CHECK(push_table(table));
    DGFS_CHECK(spill());
  }
  return ok();
}

// The oldest. When the view is changed, nothing that comes after needs memory which the store
// could not do without.
Status Store::push_table(const FrozenRef& table) {
  const RunRef run = table->run();
  DGFS_TRY(root, push(current_root(), run));
  replace_tree(std::move(root), 1);
  editor_.accept(*run);
  retire();
  return ok();
}

// What the old one alone has is retired, with its space as yet untold.
void Store::replace_tree(StoredNode root, std::size_t tables) {
  std::shared_ptr<const TreeView> before;  // ends without the lock, with all that was its alone
  const auto hold = std::make_shared<const int>();
  const std::lock_guard lock(state_lock_);
  retired_.add(view_->hold, {});
  const auto first = view_->tables.begin() + static_cast<std::ptrdiff_t>(tables);
  TreeView after{std::move(root), {first, view_->tables.end()}, hold};
  before = std::exchange(view_, std::make_shared<const TreeView>(std::move(after)));
  settled_tables_ -= tables;
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

Result<std::uint64_t> Store::reserve_bytes(const Stored<Node>& root) const {
  DGFS_TRY(unwritten, unwritten_bytes(root, source()));
  return unwritten + 2 * options_.table_bytes + parameters_.segment_bytes / 4 +
         (kTablesMax * (parameters_.fanout + 2) + kSlicesMax) * kBlockAlignmentBytes +
         4 * root.size_bytes();
}

Result<bool> Store::keep_reserve(const Stored<Node>& root) {
  DGFS_TRY(bytes, reserve_bytes(root));
  auto reserved = blocks_.reserve(bytes);
  const std::lock_guard lock(state_lock_);
  refusal_.reset();
  if (!reserved) refusal_ = std::move(reserved).error();
  return !refusal_;
}

// After a checkpoint. Of the blocks nobody else asks for space meanwhile; what values give back may
// be what their reserve needs.
Status Store::give_space_back(const Stored<Node>& root) {
  extents_.shorten(options_.spare_bytes);
  DGFS_CHECK(keep_reserve(root));
  DGFS_TRY(bytes, reserve_bytes(root));
  blocks_.shorten([bytes = bytes] { return bytes; }, options_.spare_bytes);
  return ok();
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

// What cannot be read here, or finds no memory, is found to be free when the store is opened again.
void Store::retire() {
  auto space = editor_.take_used_up();
  const auto subtrees = editor_.take_cut_off();
  try {
    for (const auto& subtree : subtrees) {
      static_cast<void>(each_extent(subtree, source(), [&](SpaceKind kind, const Extent& extent) {
        (kind == SpaceKind::kBlock ? space.blocks : space.values).push_back(extent);
        return Status(ok());
      }));
    }
  } catch (const std::bad_alloc&) {
  }
  retired_.fill_last(std::move(space));
}

// What finds no memory for it: as above.
void Store::free_space() {
  try {
    const UsedSpace space = retired_.take_free();
    for (const Extent& block : space.blocks) {
      cache_.erase(block.offset_bytes);
      blocks_.free(block);
    }
    for (const Extent& value : space.values) extents_.file().free(value);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace dgfs::delta
