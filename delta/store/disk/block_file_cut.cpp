// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A file of blocks gives space back that neither blocks nor the reserve need.
#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/disk/block_file.h"

namespace dgfs::delta {
namespace {

// A file is cut only by more than the step in which it grows.
constexpr std::uint64_t kCutShare = 8;

bool is_worth_cutting(std::uint64_t end_bytes, std::uint64_t least_bytes,
                      std::uint64_t file_bytes) {
  if (least_bytes == 0) return end_bytes + kDiskPageBytes <= file_bytes;
  return end_bytes + std::max(least_bytes, file_bytes / kCutShare) < file_bytes;
}

}  // namespace

// The reserve behind all blocks must have disk space, so holes in it are filled.
bool BlockFile::fill_behind(const std::function<std::uint64_t()>& kept_bytes,
                            std::uint64_t least_bytes, std::uint64_t file_bytes) {
  TakenExtent kept;
  {
    const std::lock_guard lock(mutex_);
    free_unnoted();
    kept = {{space_.end_bytes(), kept_bytes()}};
    if (!is_worth_cutting(kept.end_bytes(), least_bytes, file_bytes)) return false;
    if (holes_.bytes_in(kept) == 0) return true;
    if (!claim_holes(kept)) return false;
  }
  const auto filled = file_->preallocate(kept.offset_bytes, kept.end_bytes());
  const std::lock_guard lock(mutex_);
  if (filled) {
    note_filled(kept);
  } else if (cap_ != nullptr) {
    cap_->give_back(kept.hole_bytes);
  }
  return filled.has_value();
}

bool BlockFile::begin_cut(const std::function<std::uint64_t()>& kept_bytes,
                          std::uint64_t least_bytes, std::uint64_t file_bytes) {
  const std::lock_guard lock(mutex_);
  free_unnoted();
  const auto kept = kept_bytes();
  const auto end = space_.end_bytes() + kept;
  if (!is_worth_cutting(end, least_bytes, file_bytes)) return false;
  if (holes_.bytes_in({space_.end_bytes(), kept}) != 0) return false;
  reserved_end_bytes_ = std::min(reserved_end_bytes_, end);
  needed_end_bytes_ = std::min(needed_end_bytes_, end);
  cut_end_bytes_ = end;
  return true;
}

// A crash may bring back what was cut off: opening finds it to be free.
void BlockFile::shorten(const std::function<std::uint64_t()>& kept_bytes, std::uint64_t least_bytes,
                        Behind behind) {
  const std::lock_guard reserve_lock(reserve_);
  try {
    const auto file_bytes = bytes_to_shorten(behind);
    if (!file_bytes || !fill_behind(kept_bytes, least_bytes, file_bytes.value())) return;
    if (begin_cut(kept_bytes, least_bytes, file_bytes.value())) cut();
  } catch (const std::bad_alloc&) {
  }
  const std::lock_guard lock(mutex_);
  cut_end_bytes_ = UINT64_MAX;
}

Result<std::uint64_t> BlockFile::bytes_to_shorten(Behind behind) const {
  if (behind == Behind::kWritten) return file_->size();
  const std::lock_guard lock(mutex_);
  return taken_bytes_;
}

void BlockFile::cut() {
  if (!cut_file()) return;
  {
    const std::lock_guard lock(mutex_);
    give_back_behind(cut_end_bytes_);
  }
  static_cast<void>(note_missing());
}

// The system gives back what is reserved behind a file only if the call does not make it longer.
Status BlockFile::cut_file() {
  DGFS_TRY(size, file_->size());
  if (size < cut_end_bytes_) {
    DGFS_CHECK(file_->truncate(cut_end_bytes_));
  }
  return file_->truncate(cut_end_bytes_);
}

// Reserved space that was not written looks like a hole, but takes disk space.
Status BlockFile::note_missing() {
  DGFS_TRY(status, file_->status());
  const std::lock_guard lock(mutex_);
  const auto there_bytes = taken_bytes_ - std::min(taken_bytes_, holes_.bytes());
  if (there_bytes >= status.allocated_bytes) return ok();
  const auto missing_bytes = status.allocated_bytes - there_bytes;
  taken_bytes_ += missing_bytes;
  if (cap_ != nullptr) cap_->note(missing_bytes);
  return ok();
}

void BlockFile::give_back_spare(std::uint64_t bytes,
                                const std::function<std::uint64_t()>& kept_bytes) {
  const std::lock_guard reserve_lock(reserve_);
  try {
    const auto before = taken_bytes();
    if (begin_spare_cut(kept_bytes)) cut();
    {
      const std::lock_guard lock(mutex_);
      cut_end_bytes_ = UINT64_MAX;
    }
    const auto cut_bytes = before - std::min(before, taken_bytes());
    if (cut_bytes < bytes) punch_spare(bytes - cut_bytes);
  } catch (const std::bad_alloc&) {
  }
  const std::lock_guard lock(mutex_);
  cut_end_bytes_ = UINT64_MAX;
}

bool BlockFile::begin_spare_cut(const std::function<std::uint64_t()>& kept_bytes) {
  const std::lock_guard lock(mutex_);
  free_unnoted();
  if (kept_bytes) {
    const auto kept = kept_bytes();
    needed_end_bytes_ = solid_end_bytes() + kept;
    counts_on_free_ = counts_on_free_ && kept != 0;
    counted_free_bytes_ = counts_on_free_ ? kept : 0;
  }
  const auto end = std::max(needed_end_bytes_, solid_end_bytes());
  if (end + kDiskPageBytes > taken_bytes_) return false;
  reserved_end_bytes_ = std::min(reserved_end_bytes_, end);
  cut_end_bytes_ = end;
  return true;
}

BlockFile::Taken BlockFile::take_spare(std::uint64_t begin_bytes, std::vector<Extent>& parts) {
  constexpr std::size_t kAtOnce = 256;
  Taken taken(1);
  for (std::size_t count = kAtOnce; count == kAtOnce;) {
    const std::lock_guard lock(mutex_);
    free_unnoted();
    const auto stretches = space_.free_from(begin_bytes, kAtOnce);
    const auto counted_on_from = counted_on_from_bytes();
    count = stretches.size();
    for (const Extent& stretch : stretches) {
      begin_bytes = stretch.end_bytes();
      if (holes_.longest_solid_bytes(stretch) >= counted_on_from) continue;
      parts = holes_.solid_parts(stretch);
      for (Extent& part : parts) part = inner_pages(part);
      std::erase_if(parts, [](const Extent& part) { return part.length_bytes == 0; });
      if (parts.empty()) continue;
      taken.front() = {stretch};
      space_.take_whole(stretch.offset_bytes);
      return taken;
    }
  }
  return {};
}

// Ends where it began at the latest.
void BlockFile::punch_spare(std::uint64_t bytes) {
  std::vector<Extent> parts;
  const auto first = std::exchange(spare_begin_bytes_, 0);
  auto begin = first;
  for (bool is_second_round = false; can_punch_;) {
    auto taken = take_spare(begin, parts);
    if (taken.empty() || (is_second_round && taken.front().offset_bytes >= first)) {
      const std::lock_guard lock(mutex_);
      if (!taken.empty()) give_back(taken);
      if (std::exchange(is_second_round, true)) return;
      begin = 0;
      continue;
    }
    begin = taken.front().end_bytes();
    bool is_punched = false;
    try {
      is_punched = punch(parts);
    } catch (const std::bad_alloc&) {  // a hole that is not noted counts as filled
    }
    {
      const std::lock_guard lock(mutex_);
      give_back(taken);
    }
    std::uint64_t punched_bytes = 0;
    for (const Extent& part : parts) punched_bytes += part.length_bytes;
    if (!is_punched || punched_bytes >= bytes) break;
    bytes -= punched_bytes;
  }
  spare_begin_bytes_ = begin;
}

}  // namespace dgfs::delta
