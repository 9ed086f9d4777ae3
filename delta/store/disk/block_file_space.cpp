// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How much of the disk a file of blocks takes, and how much more it may take.
#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/disk/block_file.h"

namespace dgfs::delta {
namespace {

constexpr std::uint64_t in_pages(std::uint64_t bytes) {
  return (bytes + kDiskPageBytes - 1) / kDiskPageBytes * kDiskPageBytes;
}

}  // namespace

Status BlockFile::measure() {
  DGFS_TRY(status, file_->status());
  const auto bytes = in_pages(std::max(status.size_bytes, status.allocated_bytes));
  const std::lock_guard lock(mutex_);
  if (cap_ != nullptr) cap_->note(bytes);
  taken_bytes_ = bytes;
  return ok();
}

Status BlockFile::claim(std::uint64_t end_bytes) {
  const auto bytes = in_pages(end_bytes);
  const std::lock_guard lock(mutex_);
  if (bytes <= taken_bytes_) return ok();
  if (cap_ != nullptr && !cap_->take(bytes - taken_bytes_)) {
    return Error(ErrorKind::kNoSpace, 7160, "the store has reached its maximum size")
        .in_file(file_->path());
  }
  taken_bytes_ = bytes;
  return ok();
}

void BlockFile::give_back_behind(std::uint64_t end_bytes) {
  const auto bytes = in_pages(end_bytes);
  const auto hole_bytes = holes_.cut(bytes);
  if (bytes >= taken_bytes_) return;
  if (cap_ != nullptr) cap_->give_back(taken_bytes_ - bytes - hole_bytes);
  taken_bytes_ = bytes;
}

// Space that other threads claim meanwhile lies behind it, or was claimed already.
Status BlockFile::preallocate(std::uint64_t end_bytes) {
  std::uint64_t before = 0;
  std::uint64_t begin_bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    before = taken_bytes_;
    begin_bytes = solid_end_bytes();
  }
  DGFS_CHECK(claim(end_bytes));
  auto reserved = file_->preallocate(begin_bytes, end_bytes);
  if (reserved) return reserved;
  const std::lock_guard lock(mutex_);
  if (taken_bytes_ == in_pages(end_bytes)) give_back_behind(std::max(before, space_.end_bytes()));
  return reserved;
}

Status BlockFile::trim() {
  {
    const std::lock_guard reserve_lock(reserve_);
    std::uint64_t end_bytes = 0;
    {
      const std::lock_guard lock(mutex_);
      free_unnoted();
      end_bytes = space_.end_bytes();
      reserved_end_bytes_ = end_bytes;
      needed_end_bytes_ = end_bytes;
      counted_free_bytes_ = 0;
      counts_on_free_ = false;
    }
    // Only a file that gets shorter gives back what was allocated behind it. The last block may be
    // padded beyond the present end.
    DGFS_CHECK(file_->truncate(end_bytes + kDiskPageBytes));
    DGFS_CHECK(file_->truncate(end_bytes));
    const std::lock_guard lock(mutex_);
    give_back_behind(end_bytes);
    is_synced_ = false;
  }
  punch(kDiskPageBytes, 0);
  return ok();
}

bool BlockFile::has_reserved(const std::function<std::uint64_t()>& bytes) {
  if (!end_to_reserve(bytes)) return true;
  const std::lock_guard lock(mutex_);
  const auto wanted = bytes();
  if (!counts_on_free_ || longest_solid_bytes() < wanted) return false;
  counted_free_bytes_ = wanted;
  return true;
}

std::uint64_t BlockFile::room_bytes() const {
  const std::lock_guard lock(mutex_);
  const auto behind = reserved_end_bytes_ - std::min(reserved_end_bytes_, solid_end_bytes());
  return std::max(behind, longest_solid_bytes());
}

std::uint64_t BlockFile::reserved_bytes() const {
  const std::lock_guard lock(mutex_);
  return reserved_end_bytes_ - std::min(reserved_end_bytes_, solid_end_bytes());
}

std::uint64_t BlockFile::hold_room() {
  const std::lock_guard lock(mutex_);
  const auto behind = reserved_end_bytes_ - std::min(reserved_end_bytes_, solid_end_bytes());
  const auto longest = longest_solid_bytes();
  needed_end_bytes_ = std::max(needed_end_bytes_, reserved_end_bytes_);
  counted_free_bytes_ = longest > behind ? longest : 0;
  return std::max(behind, longest);
}

std::uint64_t BlockFile::lacking_bytes(std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto end = in_pages(solid_end_bytes() + bytes);
  return end - std::min(end, taken_bytes_);
}

// Holes that are being written to are in no free stretch, so the true number may be higher.
std::uint64_t BlockFile::free_page_bytes() const {
  const std::lock_guard lock(mutex_);
  const auto behind = holes_.bytes_in({space_.end_bytes(), UINT64_MAX - space_.end_bytes()});
  const auto hole_bytes = std::min(space_.free_page_bytes(), holes_.bytes() - behind);
  return taken_bytes_ - std::min(taken_bytes_, in_pages(solid_end_bytes())) +
         space_.free_page_bytes() - hole_bytes;
}

bool BlockFile::is_sparse(std::uint64_t spare_bytes) const {
  const std::lock_guard lock(mutex_);
  return solid_free_bytes() >= space_.used_bytes() + spare_bytes;
}

FreeSpace BlockFile::free_space() const {
  std::vector<Extent> free;
  FreeSpace space(add_free(free), {});
  space.add(std::move(free));
  return space;
}

std::uint64_t BlockFile::add_free(std::vector<Extent>& free) const {
  constexpr std::size_t kAtOnce = 4096;
  for (std::uint64_t begin = 0;;) {
    const std::lock_guard lock(mutex_);
    const auto more = space_.free_from(begin, kAtOnce);
    free.insert(free.end(), more.begin(), more.end());
    if (more.size() == kAtOnce) {
      begin = more.back().end_bytes();
      continue;
    }
    free.insert(free.end(), unnoted_.begin(), unnoted_.end());
    free.insert(free.end(), unwritable_.begin(), unwritable_.end());
    return space_.end_bytes();
  }
}

void BlockFile::restore(const FreeSpace& space) {
  const std::lock_guard lock(mutex_);
  space_.restore(space.end_bytes(), space.stretches());
}

std::uint64_t BlockFile::taken_bytes() const {
  const std::lock_guard lock(mutex_);
  return taken_bytes_ - holes_.bytes();
}

std::uint64_t BlockFile::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return space_.used_bytes();
}

}  // namespace dgfs::delta
