// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Holes: free stretches of a file of blocks that have given their space back to the disk, and take
// it again when written.
#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/disk/block_file.h"

namespace dgfs::delta {
namespace {

// The pages that an extent touches.
Extent outer_pages(const Extent& extent) {
  const auto begin = extent.offset_bytes / kDiskPageBytes * kDiskPageBytes;
  return {begin,
          (extent.end_bytes() + kDiskPageBytes - 1) / kDiskPageBytes * kDiskPageBytes - begin};
}

}  // namespace

// Holes consist of whole pages, and a page that is partly written has disk space.
bool BlockFile::claim_holes(TakenExtent& taken) {
  const auto bytes = holes_.bytes_in(outer_pages(taken));
  if (cap_ != nullptr && !cap_->take(bytes)) return false;
  taken.hole_bytes = bytes;
  return true;
}

// Another write may have filled some of the same pages. If there is no memory to split a hole, its
// part before the write counts as filled, too: another write there is under way.
void BlockFile::note_filled(const TakenExtent& taken) noexcept {
  if (taken.hole_bytes == 0) return;
  std::uint64_t filled_bytes = 0;
  try {
    filled_bytes = holes_.fill(outer_pages(taken));
  } catch (const std::bad_alloc&) {
    filled_bytes = holes_.fill_from_begin(outer_pages(taken));
  }
  if (cap_ == nullptr) return;
  cap_->note(filled_bytes);
  cap_->give_back(taken.hole_bytes);
}

void BlockFile::note_hole(const Extent& hole) {
  const auto before = holes_.bytes();
  holes_.add(hole);
  if (cap_ != nullptr) cap_->give_back(holes_.bytes() - before);
}

std::uint64_t BlockFile::longest_solid_bytes() const {
  if (holes_.empty()) return space_.longest_free_bytes();
  std::uint64_t longest = 0;
  space_.each_by_length([&](const Extent& stretch) {
    if (stretch.length_bytes <= longest) return false;
    longest = std::max(longest, holes_.longest_solid_bytes(stretch));
    return true;
  });
  return longest;
}

std::optional<BlockFile::SolidPart> BlockFile::find_solid(std::uint64_t length_bytes) const {
  std::optional<SolidPart> found;
  space_.each_by_length([&](const Extent& stretch) {
    if (found || stretch.length_bytes < length_bytes) return false;
    for (const Extent& part : holes_.solid_parts(stretch)) {
      if (part.length_bytes >= length_bytes) found = SolidPart{stretch, part.offset_bytes};
    }
    return true;
  });
  return found;
}

// Holes that are being written to are in no free stretch, so the true number may be higher.
std::uint64_t BlockFile::solid_free_bytes() const {
  const auto behind = holes_.bytes_in({space_.end_bytes(), UINT64_MAX - space_.end_bytes()});
  return space_.free_bytes() - std::min(space_.free_bytes(), holes_.bytes() - behind);
}

// Takes the longest stretch that is worth it, so that no block is written there meanwhile: punching
// would destroy it.
BlockFile::Taken BlockFile::take_to_punch(std::uint64_t least_bytes, std::uint64_t kept_bytes,
                                          std::vector<Extent>& parts) {
  Taken taken(1);
  parts.clear();
  const std::lock_guard lock(mutex_);
  free_unnoted();
  const auto solid_bytes = solid_free_bytes();
  if (counts_on_free_ || solid_bytes < least_bytes || solid_bytes - least_bytes < kept_bytes) {
    return {};
  }
  auto allowed_bytes = solid_bytes - kept_bytes;
  const auto counted_on_from = counted_on_from_bytes();
  space_.each_by_length([&](const Extent& stretch) {
    if (!parts.empty() || stretch.length_bytes < least_bytes) return false;
    if (holes_.longest_solid_bytes(stretch) >= counted_on_from) return true;
    taken.front() = {stretch};
    for (const Extent& part : holes_.solid_parts(stretch)) {
      const auto bytes = std::min(part.length_bytes, allowed_bytes);
      const auto punched = inner_pages({part.end_bytes() - bytes, bytes});
      if (bytes < least_bytes || punched.length_bytes == 0) continue;
      parts.push_back(punched);
      allowed_bytes -= bytes;
    }
    return true;
  });
  if (parts.empty()) return {};
  space_.take_whole(taken.front().offset_bytes);
  return taken;
}

// False: the rest is not worth trying.
bool BlockFile::punch(const std::vector<Extent>& parts) {
  for (const Extent& part : parts) {
    const auto punched = file_->punch(part.offset_bytes, part.end_bytes());
    if (!punched) {
      can_punch_ = punched.error().kind() != ErrorKind::kUnsupported;
      return false;
    }
    const std::lock_guard lock(mutex_);
    is_synced_ = false;
    note_hole(part);
  }
  return true;
}

// Without memory to note a hole, it counts as filled.
void BlockFile::punch(std::uint64_t least_bytes, std::uint64_t kept_bytes) {
  const std::lock_guard reserve_lock(reserve_);
  std::vector<Extent> parts;
  bool has_more = can_punch_;
  while (has_more) {
    Taken taken;
    try {
      taken = take_to_punch(std::max(least_bytes, kDiskPageBytes), kept_bytes, parts);
      has_more = !taken.empty() && punch(parts);
    } catch (const std::bad_alloc&) {
      has_more = false;
    }
    if (taken.empty()) return;
    const std::lock_guard lock(mutex_);
    give_back(taken);
  }
}

Status BlockFile::find_holes() {
  DGFS_TRY(data, file_->next_data(0));
  if (data.begin == 0 && data.end >= end_bytes()) return ok();
  std::vector<Extent> free;
  static_cast<void>(add_free(free));
  for (const Extent& stretch : free) {
    if (inner_pages(stretch).length_bytes != 0) {
      DGFS_CHECK(find_holes_in(stretch));
    }
  }
  return note_missing();
}

Status BlockFile::find_holes_in(const Extent& stretch) {
  for (auto at = stretch.offset_bytes; at < stretch.end_bytes();) {
    DGFS_TRY(data, file_->next_data(at));
    const bool is_last = data.begin >= data.end;  // no data follows
    const auto end = is_last ? stretch.end_bytes() : std::min(data.begin, stretch.end_bytes());
    const auto hole = inner_pages({at, end - std::min(at, end)});
    if (hole.length_bytes != 0) {
      const std::lock_guard lock(mutex_);
      note_hole(hole);
    }
    if (is_last) break;
    at = data.end;
  }
  return ok();
}

}  // namespace dgfs::delta
