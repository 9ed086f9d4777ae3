// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/live_tree.h"

#include <new>
#include <utility>

#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {

Status LiveTree::mark_used_space() {
  return each_extent(root(), files_.source(), [this](SpaceKind kind, const Extent& extent) {
    return kind == SpaceKind::kBlock ? files_.blocks.mark(extent)
                                     : files_.values.file().mark(extent);
  });
}

// Each table makes a new tree. Most of that tree is written before the next table is pushed, so
// that little of it stands in memory alone.
Status LiveTree::push_tables() {
  for (const MemtableRef& table : tables_.settled()) {
    DGFS_CHECK(push_table(table));
    DGFS_CHECK(spill());
  }
  return ok();
}

// The oldest. When the view is changed, nothing that comes after needs memory which the store
// could not do without.
Status LiveTree::push_table(const MemtableRef& table) {
  const RunRef run = table->run();
  DGFS_TRY(root, pushed(this->root(), run));
  replace_root(std::move(root), 1);
  flusher_.accept(*run);
  retire();
  return ok();
}

Result<StoredNode> LiveTree::pushed(const StoredNode& root, const RunRef& run) {
  auto pushed = flusher_.push(root, run);
  if (!pushed && pushed.error().kind() != ErrorKind::kNoSpace) return pushed;
  if (pushed) {
    DGFS_TRY(is_kept, reserve_.keep(*pushed.value(), run->size_bytes()));
    if (is_kept) return pushed;
  }
  DGFS_TRY(least, flusher_.push(root, run, false));
  DGFS_CHECK(reserve_.keep(*least, run->size_bytes()));
  return least;
}

// What the old one alone has is retired, with its space as yet untold.
void LiveTree::replace_root(StoredNode root, std::size_t tables) {
  retired_.add(tables_.hold(), {});
  tables_.replace_tree(std::move(root), tables);
}

void LiveTree::replace(const StoredNode& root, UsedSpace used_up) {
  replace_root(root, 0);
  retired_.fill_last(std::move(used_up));
}

// Blocks that are written before a checkpoint asks for it are in nobody's way: a crash forgets
// them. Those that are changed again were written in vain.
Status LiveTree::spill() {
  const auto root = this->root();
  DGFS_TRY(bytes, unwritten_bytes(*root, files_.source()));
  return bytes > options_.dirty_bytes ? write(root) : Status(ok());
}

Status LiveTree::write(const StoredNode& root) {
  return TreeWriter(files_.blocks, packer_, options_.parameters.page_bytes(), files_.source())
      .write(root);
}

// What cannot be read here, or finds no memory, is found to be free when the store is opened again.
void LiveTree::retire() {
  auto space = flusher_.take_used_up();
  const auto subtrees = flusher_.take_cut_off();
  try {
    for (const auto& subtree : subtrees) {
      const auto note = [&](SpaceKind kind, const Extent& extent) {
        (kind == SpaceKind::kBlock ? space.blocks : space.values).push_back(extent);
        return Status(ok());
      };
      static_cast<void>(each_extent(subtree, files_.source(), note));
    }
  } catch (const std::bad_alloc&) {
  }
  retired_.fill_last(std::move(space));
}

void LiveTree::note_checkpoint() {
  retired_.note_checkpoint();
  free_space();
}

// What finds no memory for it: as of retire().
void LiveTree::free_space() {
  try {
    const UsedSpace space = retired_.take_free();
    for (const Extent& block : space.blocks) {
      files_.cache.erase(block.offset_bytes);
      files_.blocks.free(block);
    }
    for (const Extent& value : space.values) files_.values.file().free(value);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace dgfs::delta
