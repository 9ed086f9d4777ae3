// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/cleaning.h"

#include <new>
#include <utility>

namespace dgfs::delta {

void Cleaning::clean() {
  if (!give_back_left()) return;
  const bool is_urgent = std::exchange(is_urgent_, false) && !tables_.is_view_kept();
  if (!is_urgent && !pace_.is_due(files_.end_bytes())) return;
  try {  // values that found no space in reserve may find some now
    static_cast<void>(files_.values.reserve_promised());
  } catch (const std::bad_alloc&) {
  }
  const auto ends = is_urgent ? close_ends() : close_sparse_ends();
  if (ends.blocks != UINT64_MAX || ends.values != UINT64_MAX) move_ends(ends);
  files_.blocks.open_end();
  files_.values.file().open_end();
}

TreeCleaner::Ends Cleaning::close_sparse_ends() {
  const auto blocks = files_.blocks.close_sparse_end(window_bytes(), options_.spare_bytes);
  const auto values = files_.values.file().close_sparse_end(window_bytes(), options_.spare_bytes);
  return {blocks.value_or(UINT64_MAX), values.value_or(UINT64_MAX)};
}

// Batches are refused, and the tree is written. A file keeps its free stretches if the space that
// is promised or reserved in it needs all of them. If the reserve of blocks is not kept, it is
// given up first, because its lack is the reason why batches are refused.
TreeCleaner::Ends Cleaning::close_ends() {
  if (!reserve_.is_there()) reserve_.let_go();
  const auto blocks = files_.blocks.close_end(window_bytes());
  const auto values = files_.values.file().close_end(window_bytes());
  return {blocks.value_or(UINT64_MAX), values.value_or(UINT64_MAX)};
}

void Cleaning::move_ends(const TreeCleaner::Ends& ends) {
  TreeCleaner cleaner(files_.blocks, files_.values, files_.source(), ends, options_.dirty_bytes);
  const auto end_bytes_before = files_.end_bytes();
  bool is_done = false;
  try {
    is_done = try_to_move(cleaner);
  } catch (const std::bad_alloc&) {
  }
  if (!is_done) {
    left_ = cleaner.take_taken();
    static_cast<void>(give_back_left());
  }
  const auto moved_before = files_.blocks.moved_bytes();
  filter_.leave_end(ends.blocks);
  const auto filter_bytes = files_.blocks.moved_bytes() - moved_before;
  pace_.note_cleaning(end_bytes_before, cleaner.cost_bytes() + filter_bytes, cleaner.is_full());
}

bool Cleaning::give_back_left() {
  try {
    files_.give_back(left_);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// False: the old tree stays.
bool Cleaning::try_to_move(TreeCleaner& cleaner) {
  const auto root = tree_.root();
  const auto cleaned = cleaner.cleaned(root);
  if (!cleaned || cleaned.value() == root) return false;
  if (!reserve_.is_left_by(*cleaned.value()) || !tree_.write(cleaned.value())) return false;
  tree_.replace(cleaned.value(), cleaner.take_used_up());
  return true;
}

}  // namespace dgfs::delta
