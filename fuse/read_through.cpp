// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/read_through.h"

#include <algorithm>
#include <utility>

namespace dgfs::fuse {

ReadThrough::Due ReadThrough::saw_read(const reader::StoredRange& read) noexcept {
  Due due;
  const auto end = read.offset_bytes + read.length_bytes;
  const std::lock_guard lock(mutex_);
  for (auto at = read.offset_bytes; at < end;) {
    const auto offset = at / kPieceBytes * kPieceBytes;
    const auto next = std::min(end, offset + kPieceBytes);
    auto& piece = find(read.volume, offset);
    piece.read_bytes += next - at;
    if (piece.read_bytes >= kEnoughBytes) {
      piece = {};
      const auto before = wait({read.volume, offset, kPieceBytes});
      if (before && due.size() < due.capacity()) due.push_back(*before);
    }
    at = next;
  }
  return due;
}

// The piece that waits may have been read once more; its pages are just as fresh, so it waits on.
std::optional<reader::StoredRange> ReadThrough::wait(const reader::StoredRange& piece) noexcept {
  if (waiting_ && waiting_->volume == piece.volume &&
      waiting_->offset_bytes == piece.offset_bytes) {
    return std::nullopt;
  }
  return std::exchange(waiting_, piece);
}

ReadThrough::UnderWay& ReadThrough::find(format::VolumeNumber volume,
                                         std::uint64_t offset_bytes) noexcept {
  auto* oldest = under_way_.data();
  for (auto& piece : under_way_) {
    if (piece.used != 0 && piece.volume == volume && piece.offset_bytes == offset_bytes) {
      piece.used = ++now_;
      return piece;
    }
    if (piece.used < oldest->used) oldest = &piece;
  }
  *oldest = {.volume = volume, .offset_bytes = offset_bytes, .read_bytes = 0, .used = ++now_};
  return *oldest;
}

ReadThrough::Due ReadThrough::saw_read(const reader::Node& file, std::uint64_t begin,
                                       std::uint64_t end) noexcept {
  const auto range = reader::stored_range(file, begin, end);
  return range ? saw_read(*range) : Due();
}

}  // namespace dgfs::fuse
