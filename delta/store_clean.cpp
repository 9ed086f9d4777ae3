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
  const auto end_bytes = blocks_.end_bytes() + extents_.file().end_bytes();
  if (!cleaning_pause_.is_over(end_bytes)) return;
  // Where free stretches are all that there is for what was promised they are left alone.
  static_cast<void>(extents_.file().reserve(extents_.promised_bytes()));
  const auto blocks = blocks_.close_sparse_end(options_.dirty_bytes / 2, options_.spare_bytes);
  const auto values =
      extents_.file().close_sparse_end(options_.dirty_bytes / 2, options_.spare_bytes);
  if (blocks || values) {
    cleaning_pause_.note_cleaning(end_bytes);
    move_ends({blocks.value_or(UINT64_MAX), values.value_or(UINT64_MAX)});
  }
  blocks_.open_end();
  extents_.file().open_end();
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
