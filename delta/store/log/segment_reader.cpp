// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/log/segment_reader.h"

#include <algorithm>

namespace dgfs::delta {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

}  // namespace

Result<Bytes> SegmentReader::read(std::uint64_t offset_bytes, std::size_t count, Ahead ahead) {
  if (!has(offset_bytes, count)) {
    const auto room = segment_bytes_ - offset_bytes;
    const auto piece_bytes = ahead == Ahead::kPiece ? std::min(kPieceBytes, room) : 0;
    piece_.resize(std::max(count, static_cast<std::size_t>(piece_bytes)));
    begin_ = offset_bytes;
    auto read = storage::read_exactly(*file_, offset_bytes, piece_);
    if (!read) {
      piece_.clear();
      return std::move(read).error();
    }
  }
  return Bytes(piece_).subspan(static_cast<std::size_t>(offset_bytes - begin_), count);
}

}  // namespace dgfs::delta
