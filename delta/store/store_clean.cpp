// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How the files of a store get shorter when it has lost much: a checkpoint moves what lives at
// their ends to free places before, and when it is durable the ends are cut.
#include <new>
#include <utility>

#include "delta/store/store.h"
#include "delta/store/tree/tree_blocks.h"
#include "delta/store/tree/tree_cleaner.h"

namespace dgfs::delta {

// In a checkpoint whose tree has been written: nothing of that is in danger, as what is moved, and
// the nodes above it, have been written as well when the cleaned tree takes its place. Where that
// does not work out all is as it was, and the checkpoint goes on.
void Store::clean() {
  const bool is_urgent = std::exchange(is_space_urgent_, false) && !is_view_kept();
  if (!is_urgent && !cleaning_pace_.is_due(end_bytes())) return;
  // Who had found none in reserve may find some now.
  static_cast<void>(extents_.reserve_promised());
  const auto ends = is_urgent ? close_ends() : close_sparse_ends();
  if (ends.blocks != UINT64_MAX || ends.values != UINT64_MAX) move_ends(ends);
  blocks_.open_end();
  extents_.file().open_end();
}

// Somebody has a view of what is not the newest tree: what is freed stays for it.
bool Store::is_view_kept() {
  const std::lock_guard lock(state_lock_);
  return view_->hold.use_count() > 1;
}

std::uint64_t Store::end_bytes() const { return blocks_.end_bytes() + extents_.file().end_bytes(); }

TreeCleaner::Ends Store::close_sparse_ends() {
  const auto bytes_max = cleaning_pace_.window_bytes(options_.dirty_bytes / 2);
  const auto blocks = blocks_.close_sparse_end(bytes_max, options_.spare_bytes);
  const auto values = extents_.file().close_sparse_end(bytes_max, options_.spare_bytes);
  return {blocks.value_or(UINT64_MAX), values.value_or(UINT64_MAX)};
}

// Batches are refused, and the tree is written. Where free stretches are all that there is for
// values that were promised space, they are left alone; likewise for blocks, unless it is for want
// of their reserve that batches are refused.
TreeCleaner::Ends Store::close_ends() {
  bool has_reserve = false;
  {
    const std::lock_guard lock(state_lock_);
    has_reserve = !refusal_;
  }
  if (!has_reserve) static_cast<void>(blocks_.reserve(0));
  const auto bytes_max = cleaning_pace_.window_bytes(options_.dirty_bytes / 2);
  const auto blocks = blocks_.close_end(bytes_max);
  const auto values = extents_.file().close_end(bytes_max);
  return {blocks.value_or(UINT64_MAX), values.value_or(UINT64_MAX)};
}

// A batch was refused, though all that could be has been freed. Free space that lies in pieces
// becomes one at the ends of the files, unless somebody keeps what would be moved: it would be
// there twice. Where blocks lack their reserve the tables that wait for the tree count on it, too:
// they have to be there first. Whether more is worth trying: the files have become shorter, or less
// of them will be cleaned at a time. Where not, it is not tried again before something has changed.
Result<bool> Store::clean_for_space() {
  std::uint64_t end_bytes_before = 0;
  unsigned narrowed_before = 0;
  {
    const std::lock_guard lock(work_);
    const std::lock_guard state_lock(state_lock_);
    if (refusal_ && in_tree_ < applied_) return false;
    if (view_->hold.use_count() > 1 || !retired_.empty()) return false;
    if (in_tree_ == cleaned_in_vain_) return false;
    end_bytes_before = end_bytes();
    narrowed_before = cleaning_pace_.narrowed();
    is_space_urgent_ = true;
  }
  const auto made = checkpoint();
  const std::lock_guard lock(work_);
  is_space_urgent_ = false;
  DGFS_CHECK(made);
  if (end_bytes() < end_bytes_before || cleaning_pace_.narrowed() > narrowed_before) return true;
  const std::lock_guard state_lock(state_lock_);
  cleaned_in_vain_ = in_tree_;
  return false;
}

void Store::move_ends(const TreeCleaner::Ends& ends) {
  TreeCleaner cleaner(blocks_, extents_.file(), source(), ends, options_.dirty_bytes);
  const auto end_bytes_before = end_bytes();
  bool is_done = false;
  try {
    is_done = try_to_clean(cleaner);
  } catch (const std::bad_alloc&) {
  }
  if (!is_done) cleaner.undo();
  cleaning_pace_.note_cleaning(end_bytes_before, cleaner.cost_bytes(), cleaner.is_full());
  const std::lock_guard lock(state_lock_);
  counters_.moved_bytes = blocks_.moved_bytes() + extents_.file().moved_bytes();
}

// False: the old tree is to stay.
bool Store::try_to_clean(TreeCleaner& cleaner) {
  const auto root = current_root();
  const auto cleaned = cleaner.cleaned(root);
  if (!cleaned || cleaned.value() == root || !leaves_reserve(*cleaned.value())) return false;
  if (!write_tree(cleaned.value())) return false;
  replace_tree(cleaned.value(), 0);
  retired_.fill_last(cleaner.take_used_up());
  return true;
}

// Whether what a tree has yet to write leaves the reserve of blocks as it is. If that is not there
// any more nothing waits for it, and it is what is cleaned for.
bool Store::leaves_reserve(const Stored<Node>& root) {
  {
    const std::lock_guard lock(state_lock_);
    if (refusal_) return true;
  }
  const auto bytes = reserve_bytes(root);
  return bytes && blocks_.reserve(bytes.value());
}

}  // namespace dgfs::delta
