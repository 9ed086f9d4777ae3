// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/read_through.h"

#include <algorithm>

namespace dgfs::fuse {

std::vector<reader::StoredRange> ReadThrough::saw_read(const reader::StoredRange& read) {
  std::vector<reader::StoredRange> due;
  const auto end = read.offset_bytes + read.length_bytes;
  const std::lock_guard lock(mutex_);
  for (auto at = read.offset_bytes; at < end;) {
    const auto offset = at / kPieceBytes * kPieceBytes;
    const auto next = std::min(end, offset + kPieceBytes);
    auto& piece = find(read.volume, offset);
    piece.read_bytes += next - at;
    if (piece.read_bytes >= kEnoughBytes) {
      piece = {};
      if (waiting_) due.push_back(*waiting_);
      waiting_ = reader::StoredRange{read.volume, offset, kPieceBytes};
    }
    at = next;
  }
  return due;
}

ReadThrough::UnderWay& ReadThrough::find(format::VolumeNumber volume, std::uint64_t offset_bytes) {
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

std::vector<reader::StoredRange> ReadThrough::saw_read(const reader::Node& file,
                                                       std::uint64_t begin, std::uint64_t end) {
  const auto range = reader::stored_range(file, begin, end);
  return range ? saw_read(*range) : std::vector<reader::StoredRange>();
}

}  // namespace dgfs::fuse
