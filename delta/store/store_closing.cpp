// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The end of a store that was written to.
#include <algorithm>
#include <array>
#include <cstdint>

#include "delta/store/copied_store.h"
#include "delta/store/store.h"
#include "storage/names.h"
#include "storage/original_file.h"

namespace dgfs::delta {

Status Store::close() {
  is_ending_ = true;
  if (only_reads()) return ok();
  commits_.reset();
  tending_.reset();
  DGFS_TRY(closed_at, maintenance_.make_last_checkpoint(now_seconds()));
  note_time(closed_at);
  static_cast<void>(failure_.note(Error(ErrorKind::kInvalidArgument, 7131, "the store is closed")));
  return ok();
}

Status Store::make_layer(const SealedMark& mark) {
  // A layer has no log.
  const std::array<storage::File*, 3> files{own_files_.front(), *(own_files_.end() - 2),
                                            own_files_.back()};
  DGFS_TRY(closed_at, maintenance_.make_layer(mark, store_identity(files), now_seconds()));
  note_time(closed_at);
  return ok();
}

std::uint64_t Store::now_seconds() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(env_.now().seconds, 0));
}

// A program that has read a part of a file before its last write must not find the time of a file
// that was read after it.
void Store::note_time(std::uint64_t closed_at) {
  const bool may_be_read = std::ranges::any_of(
      own_files_, [](storage::File* file) { return storage::may_be_open_elsewhere(*file); });
  if (!may_be_read) note_closed(env_, storage::parent_path(superblocks_->path()), closed_at);
}

}  // namespace dgfs::delta
