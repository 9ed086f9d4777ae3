// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/block_file.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "format/checksum.h"
#include "storage/scatter.h"

namespace dgfs::delta {
namespace {

// A place that cannot be written is not used until the store is opened again.
constexpr int kAttemptsMax = 3;

// The step in which space is reserved: an eighth of the file, within these bounds.
constexpr std::uint64_t kStepBytesMin = std::uint64_t{1} << 20;
constexpr std::uint64_t kStepBytesMax = std::uint64_t{64} << 20;
// The step is at most this part of what is left: another file may need the rest.
constexpr std::uint64_t kStepShare = 16;
// The part of a file into which blocks are moved is longer than the blocks by this part of their
// length, so that most of them find a stretch that is long enough.
constexpr std::uint64_t kSlackShare = 4;
// The same when space is short; some blocks may stay.
constexpr std::uint64_t kShortSlackShare = 16;

// Fills the gap between two blocks that are written together.
constexpr std::array<std::uint8_t, kBlockAlignmentBytes> kPadding{};

Extent padded(const Extent& block) {
  return {block.offset_bytes, padded_bytes(block.length_bytes)};
}

}  // namespace

Result<Place> BlockFile::write(Bytes block) {
  const auto checksum = format::checksum64(block);
  DGFS_TRY(extent, write_extent(block));
  return Place{extent.offset_bytes, extent.length_bytes, checksum};
}

Result<Extent> BlockFile::write_extent(Bytes block) {
  bool is_disk_full = false;
  for (int attempts = 1;; ++attempts) {
    const auto length_bytes = padded_bytes(block.size());
    auto taken = is_disk_full ? take_solid(length_bytes) : take(length_bytes);
    const Extent extent{taken.front().offset_bytes, block.size()};
    const bool was_hole = taken.front().hole_bytes != 0;
    auto written = write_to(taken, std::span(&block, 1), written_bytes_);
    if (written) return extent;
    is_disk_full = written.error().kind() == ErrorKind::kNoSpace;
    const bool is_bad_place = is_disk_full ? was_hole : written.error().kind() == ErrorKind::kIo;
    if (!is_bad_place || attempts == kAttemptsMax) return std::move(written).error();
  }
}

Status BlockFile::write_to(Taken& taken, std::span<const Bytes> parts,
                           std::uint64_t& written_bytes) {
  const auto bytes = storage::total_size(parts);
  try {
    auto written = write_claimed(taken.front().offset_bytes, parts, bytes);
    const std::lock_guard lock(mutex_);
    is_synced_ = false;
    if (written) {
      written_bytes += bytes;
      note_filled(taken.front());
    } else if (written.error().kind() != ErrorKind::kIo) {
      give_back(taken);
    } else {
      note_filled(taken.front());
      unwritable_.splice(unwritable_.end(), taken);
    }
    return written;
  } catch (...) {  // nothing refers to the bytes that are there now
    const std::lock_guard lock(mutex_);
    is_synced_ = false;
    give_back(taken);
    throw;
  }
}

Result<Extent> BlockFile::write_in_pieces(
    std::uint64_t length_bytes, std::size_t piece_bytes,
    const std::function<Status(std::uint64_t begin_bytes, MutableBytes out)>& fill) {
  Buffer piece(std::min<std::uint64_t>(piece_bytes, length_bytes));
  auto taken = take(padded_bytes(length_bytes));
  const Extent extent{taken.front().offset_bytes, length_bytes};
  try {
    const auto written = [&]() -> Status {
      for (std::uint64_t at = 0; at < length_bytes; at += piece.size()) {
        piece.resize(std::min<std::uint64_t>(piece.size(), length_bytes - at));
        DGFS_CHECK(fill(at, piece));
        const Bytes bytes(piece);
        DGFS_CHECK(write_claimed(extent.offset_bytes + at, std::span(&bytes, 1), bytes.size()));
      }
      return ok();
    }();
    const std::lock_guard lock(mutex_);
    is_synced_ = false;
    if (!written) {
      give_back(taken);
      return written.error();
    }
    written_bytes_ += length_bytes;
    note_filled(taken.front());
    return extent;
  } catch (...) {  // nothing refers to the bytes that are there now
    const std::lock_guard lock(mutex_);
    is_synced_ = false;
    give_back(taken);
    throw;
  }
}

// Some of its holes may have disk space by now. Not knowing it does no harm.
void BlockFile::give_back(Taken& taken) {
  if (cap_ != nullptr) cap_->give_back(taken.front().hole_bytes);
  unnoted_.splice(unnoted_.end(), taken);
  free_unnoted();
}

void BlockFile::free_unnoted() {
  try {
    for (; !unnoted_.empty(); unnoted_.pop_front()) space_.give_back(unnoted_.front());
  } catch (const std::bad_alloc&) {  // the rest, the next time
  }
}

Result<std::optional<Place>> BlockFile::write_before_end(Bytes block) {
  Place place{0, block.size(), format::checksum64(block)};
  Taken taken(1);
  {
    const std::lock_guard lock(mutex_);
    if (counts_on_free_) return std::optional<Place>();
    const auto extent = space_.take_open(padded(place.extent()).length_bytes);
    if (!extent) return std::optional<Place>();
    taken.front() = {*extent};
    if (!claim_holes(taken.front())) {
      give_back(taken);
      return std::optional<Place>();
    }
    place.offset_bytes = extent->offset_bytes;
  }
  DGFS_CHECK(write_to(taken, std::span(&block, 1), moved_bytes_));
  return std::optional(place);
}

Status BlockFile::write_all(std::span<const Bytes> blocks, std::vector<Extent>& extents) {
  // So that every written block is listed, whatever happens.
  extents.reserve(extents.size() + blocks.size());
  if (blocks.size() > 1 && write_together(blocks, extents)) return ok();
  // One by one the blocks may still find space, or places that can be written.
  for (const Bytes block : blocks) {
    DGFS_TRY(extent, write_extent(block));
    extents.push_back(extent);
    file_->advise(storage::Access::kWriteBack, extent.offset_bytes, extent.length_bytes);
  }
  return ok();
}

bool BlockFile::write_together(std::span<const Bytes> blocks, std::vector<Extent>& extents) {
  std::vector<Bytes> parts;
  std::vector<Extent> made;
  std::uint64_t end = 0;
  for (const Bytes block : blocks) {
    if (const auto padding = padded_bytes(end) - end; padding != 0) {
      parts.push_back(Bytes(kPadding).first(static_cast<std::size_t>(padding)));
      end += padding;
    }
    made.push_back({end, block.size()});
    parts.push_back(block);
    end += block.size();
  }
  auto taken = take(padded_bytes(end));
  const auto begin = taken.front().offset_bytes;
  if (!write_to(taken, parts, written_bytes_)) return false;
  for (Extent& extent : made) extent.offset_bytes += begin;
  extents.insert(extents.end(), made.begin(), made.end());
  // The device works while the next blocks are prepared, so a sync soon after waits less.
  file_->advise(storage::Access::kWriteBack, begin, end);
  return true;
}

// Waits: while a file is being cut, nothing may be written behind its new end.
BlockFile::Taken BlockFile::until_it_is_cut(Taken taken) {
  const std::lock_guard wait(reserve_);
  return taken;
}

BlockFile::Taken BlockFile::take(std::uint64_t length_bytes) {
  Taken taken(1);
  {
    const std::lock_guard lock(mutex_);
    free_unnoted();
    taken.front() = {space_.take(length_bytes)};
    if (!claim_holes(taken.front())) give_back(taken);
    if (!taken.empty() && taken.front().end_bytes() <= cut_end_bytes_) return taken;
  }
  return taken.empty() ? take_solid(length_bytes) : until_it_is_cut(std::move(taken));
}

BlockFile::Taken BlockFile::take_solid(std::uint64_t length_bytes) {
  Taken taken(1);
  Taken rest(2);
  {
    const std::lock_guard lock(mutex_);
    free_unnoted();
    if (const auto found = find_solid(length_bytes)) {
      const auto [stretch, begin] = *found;
      space_.take_whole(stretch.offset_bytes);
      taken.front() = {{begin, length_bytes}};
      rest.front() = {{stretch.offset_bytes, begin - stretch.offset_bytes}};
      rest.back() = {{begin + length_bytes, stretch.end_bytes() - begin - length_bytes}};
      rest.remove_if([](const TakenExtent& each) { return each.length_bytes == 0; });
      unnoted_.splice(unnoted_.end(), rest);
      free_unnoted();
    } else {
      taken.front() = {space_.take_behind(solid_end_bytes(), length_bytes)};
    }
    if (taken.front().end_bytes() <= cut_end_bytes_) return taken;
  }
  return until_it_is_cut(std::move(taken));
}

std::optional<std::uint64_t> BlockFile::end_to_reserve(
    const std::function<std::uint64_t()>& bytes) {
  const std::lock_guard lock(mutex_);
  const auto wanted = bytes();
  const auto end = solid_end_bytes() + wanted;
  if (wanted != 0 && end > reserved_end_bytes_) return end;
  counts_on_free_ = false;
  if (wanted != 0) {
    needed_end_bytes_ = end;
    counted_free_bytes_ = 0;
  }
  return std::nullopt;
}

bool BlockFile::has_free(const std::function<std::uint64_t()>& bytes) {
  const std::lock_guard lock(mutex_);
  const auto wanted = bytes();
  if (longest_solid_bytes() < wanted) return false;
  counts_on_free_ = true;
  counted_free_bytes_ = wanted;
  return true;
}

std::uint64_t BlockFile::step_bytes(std::uint64_t end_bytes) const {
  auto left = cap_ == nullptr ? UINT64_MAX : cap_->left_bytes();
  if (const auto free = file_->free_bytes()) left = std::min(left, free.value());
  return std::min(std::clamp(end_bytes / 8, kStepBytesMin, kStepBytesMax), left / kStepShare);
}

// A caller for which the reserve is large enough does not wait for callers that extend it.
Status BlockFile::reserve(const std::function<std::uint64_t()>& bytes) {
  if (!end_to_reserve(bytes)) return ok();
  const std::lock_guard reserve_lock(reserve_);
  const auto end = end_to_reserve(bytes);
  if (!end) return ok();
  // First tries to reserve more than is asked for.
  for (const auto more : {step_bytes(*end), std::uint64_t{0}}) {
    auto reserved = preallocate(*end + more);
    if (reserved) {
      const std::lock_guard lock(mutex_);
      reserved_end_bytes_ = *end + more;
      needed_end_bytes_ = *end;
      counts_on_free_ = false;
      counted_free_bytes_ = 0;
      return ok();
    }
    const bool is_full = reserved.error().kind() == ErrorKind::kNoSpace;
    if (!is_full || (more == 0 && !has_free(bytes))) return reserved;
  }
  return ok();
}

std::optional<std::uint64_t> BlockFile::close_sparse_end(std::uint64_t taken_bytes_max,
                                                         std::uint64_t spare_bytes) {
  const std::lock_guard lock(mutex_);
  if (solid_free_bytes() < space_.used_bytes() + spare_bytes) return std::nullopt;
  return close(taken_bytes_max, space_.used_bytes() / kSlackShare);
}

std::optional<std::uint64_t> BlockFile::close_end(std::uint64_t taken_bytes_max) {
  const std::lock_guard lock(mutex_);
  return close(taken_bytes_max, space_.used_bytes() / kShortSlackShare);
}

std::optional<std::uint64_t> BlockFile::close(std::uint64_t taken_bytes_max,
                                              std::uint64_t slack_bytes) {
  const auto begin =
      std::max(space_.begin_of_last(taken_bytes_max), space_.used_bytes() + slack_bytes);
  if (counts_on_free_ || begin >= space_.end_bytes()) return std::nullopt;
  space_.close_from(begin);
  return begin;
}

void BlockFile::open_end() {
  const std::lock_guard lock(mutex_);
  space_.close_from(UINT64_MAX);
}

Status BlockFile::sync() {
  const std::lock_guard sync_lock(sync_);
  {
    const std::lock_guard lock(mutex_);
    if (sync_failure_) return *sync_failure_;
    // Writes from here on are for the next sync.
    if (std::exchange(is_synced_, true)) return ok();
  }
  try {
    auto synced = file_->sync();
    if (synced) return ok();
    const std::lock_guard lock(mutex_);
    sync_failure_ = std::move(synced).error();
    return *sync_failure_;
  } catch (...) {  // no memory for its result: it must not count as done
    const std::lock_guard lock(mutex_);
    if (!sync_failure_) sync_failure_ = std::move(unknown_sync_);
    return *sync_failure_;
  }
}

Status BlockFile::mark(const Extent& block) {
  if (block.length_bytes == 0 || block.length_bytes > kBlockBytesMax ||
      block.offset_bytes % kBlockAlignmentBytes != 0 || block.offset_bytes > UINT64_MAX / 2) {
    return damaged(7032, block.offset_bytes, "a block has an impossible place");
  }
  const std::lock_guard lock(mutex_);
  if (!space_.mark(padded(block))) {
    return damaged(7033, block.offset_bytes, "a block is referred to twice, or overlaps another");
  }
  return ok();
}

void BlockFile::free(const Extent& block) {
  const std::lock_guard lock(mutex_);
  free_unnoted();
  space_.give_back(padded(block));
}

std::uint64_t BlockFile::end_bytes() const {
  const std::lock_guard lock(mutex_);
  return space_.end_bytes();
}

std::uint64_t BlockFile::moved_bytes() const {
  const std::lock_guard lock(mutex_);
  return moved_bytes_;
}

std::uint64_t BlockFile::written_bytes() const {
  const std::lock_guard lock(mutex_);
  return written_bytes_;
}

}  // namespace dgfs::delta
