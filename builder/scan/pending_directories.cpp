// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/pending_directories.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/entry/mode.h"

namespace dgfs::builder {

void PendingDirectories::add(PendingDirectory directory) {
  if (held_.size() < kHeldMax) {
    held_.push_back(std::move(directory));
  } else if (!more_from_) {
    more_from_ = directory.record_offset;
  }
}

void PendingDirectories::end() { end_ = tree_->spool().size_bytes(); }

void PendingDirectories::release() {
  const auto end = std::min(at_ + kReleasedHeldMax, held_.size());
  if (end < held_.size()) more_from_ = held_[end].record_offset;
  const auto begin = std::make_move_iterator(held_.begin());
  held_ = std::vector<PendingDirectory>(begin + static_cast<std::ptrdiff_t>(at_),
                                        begin + static_cast<std::ptrdiff_t>(end));
  at_ = 0;
}

Result<std::optional<PendingDirectory>> PendingDirectories::next() {
  if (at_ == held_.size() && more_from_) {
    DGFS_CHECK(refill());
  }
  if (at_ == held_.size()) return std::nullopt;
  return std::move(held_[at_++]);
}

Status PendingDirectories::refill() {
  held_.clear();
  at_ = 0;
  // Stops at the end of the children: the next record is a difference to a prefix that is unknown
  // here.
  TreeReader reader(*tree_, {*std::exchange(more_from_, std::nullopt), {}}, end_);
  while (true) {
    DGFS_TRY(record, reader.next());
    if (!record) return ok();
    DGFS_TRY(entry, decode_entry_record(*record));
    if (!format::is_directory(entry.mode)) continue;
    if (held_.size() == kHeldMax) {
      more_from_ = reader.record_offset();
      return ok();
    }
    held_.push_back({std::string(entry.name), {entry.device, entry.inode}, reader.record_offset()});
  }
}

}  // namespace dgfs::builder
