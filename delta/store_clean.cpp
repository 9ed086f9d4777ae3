// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How the files of a store get shorter when it has lost much: a checkpoint moves what lives at
// their ends to free places before, and when it is durable the ends are cut.
#include <new>
#include <utility>

#include "delta/store.h"
#include "delta/tree/tree_blocks.h"
#include "delta/tree/tree_cleaner.h"

namespace dgfs::delta {

// In a checkpoint whose tree has been written: nothing of that is in danger, as what is moved, and
// the nodes above it, have been written as well when the cleaned tree takes its place. Where that
// does not work out all is as it was, and the checkpoint goes on.
void Store::clean() {
  const bool is_urgent = std::exchange(is_space_urgent_, false);
  if (!is_urgent && !cleaning_pause_.is_over(end_bytes())) return;
  const auto ends = is_urgent ? close_ends() : close_sparse_ends();
  if (ends.blocks != UINT64_MAX || ends.values != UINT64_MAX) {
    if (!is_urgent) cleaning_pause_.note_cleaning(end_bytes());
    move_ends(ends);
  }
  blocks_.open_end();
  extents_.file().open_end();
}

std::uint64_t Store::end_bytes() const { return blocks_.end_bytes() + extents_.file().end_bytes(); }

TreeCleaner::Ends Store::close_sparse_ends() {
  const auto bytes_max = options_.dirty_bytes / 2;
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
  static_cast<void>(extents_.file().reserve(extents_.promised_bytes()));
  const auto bytes_max = options_.dirty_bytes / 2;
  const auto blocks = blocks_.close_end(bytes_max);
  const auto values = extents_.file().close_end(bytes_max);
  return {blocks.value_or(UINT64_MAX), values.value_or(UINT64_MAX)};
}

// A batch was refused, though all that could be has been freed. Free space that lies in pieces
// becomes one at the ends of the files, unless somebody keeps what would be moved: it would be
// there twice. Whether the files have become shorter; where they have not, it is not tried again
// before something has changed.
Result<bool> Store::clean_for_space() {
  std::uint64_t end_bytes_before = 0;
  {
    const std::lock_guard lock(work_);
    const std::lock_guard state_lock(state_lock_);
    if (in_tree_ < applied_ || view_->hold.use_count() > 1 || !retired_.empty()) return false;
    if (in_tree_ == cleaned_in_vain_) return false;
    end_bytes_before = end_bytes();
    is_space_urgent_ = true;
  }
  DGFS_CHECK(checkpoint());
  const std::lock_guard lock(work_);
  if (end_bytes() < end_bytes_before) return true;
  const std::lock_guard state_lock(state_lock_);
  cleaned_in_vain_ = in_tree_;
  return false;
}

void Store::move_ends(const TreeCleaner::Ends& ends) {
  TreeCleaner cleaner(blocks_, extents_.file(), source(), ends, options_.dirty_bytes);
  try {
    if (try_to_clean(cleaner)) return;
  } catch (const std::bad_alloc&) {
  }
  cleaner.undo();
}

// False: the old tree is to stay.
bool Store::try_to_clean(TreeCleaner& cleaner) {
  const auto root = current_root();
  const auto cleaned = cleaner.cleaned(root);
  if (!cleaned || cleaned.value() == root || !write_tree(cleaned.value())) return false;
  replace_tree(cleaned.value(), 0);
  retired_.fill_last(cleaner.take_used_up());
  const std::lock_guard lock(state_lock_);
  counters_.moved_bytes += cleaner.moved_bytes();
  return true;
}

}  // namespace dgfs::delta
