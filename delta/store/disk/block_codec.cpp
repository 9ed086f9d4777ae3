// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/block_codec.h"

#include <algorithm>

#include "format/coding.h"

namespace dgfs::delta {
namespace {

constexpr std::uint8_t kPlain = 0;
constexpr std::uint8_t kZstd = 1;
// A smaller gain is not worth the time of decompression at each read.
constexpr std::size_t kGainShare = 8;
constexpr std::size_t kHeadBytesMax = 11;

}  // namespace

Result<Bytes> BlockPacker::pack(Bytes block, std::size_t compressed_bytes_max) {
  stored_.clear();
  if (level_ != 0 && block.size() > kHeadBytesMax * kGainShare &&
      block.size() <= compressed_bytes_max) {
    format::Encoder out(stored_);
    out.fixed(kZstd);
    out.varint(block.size());
    const auto head = stored_.size();
    stored_.resize(block.size() - block.size() / kGainShare);
    DGFS_TRY(length,
             compressor_.compress(block, level_, nullptr, MutableBytes(stored_).subspan(head)));
    if (length) return Bytes(stored_).first(head + *length);
    stored_.clear();
  }
  stored_.resize(block.size() + 1);
  stored_.front() = kPlain;
  std::ranges::copy(block, stored_.begin() + 1);
  return Bytes(stored_);
}

Result<Bytes> unpack_block(Bytes stored, Buffer& room, std::size_t room_bytes_max) {
  room.clear();
  if (stored.empty() || stored.front() > kZstd) {
    return Error(ErrorKind::kCorrupt, 7035, "a block of an unknown codec");
  }
  if (stored.front() == kPlain) return stored.subspan(1);
  format::Decoder in(stored.subspan(1));
  DGFS_TRY(length, in.varint_up_to(room_bytes_max));
  DGFS_TRY(frame, in.raw(in.remaining()));
  room.resize(static_cast<std::size_t>(length));
  DGFS_CHECK(format::decompress_zstd_frame(frame, room));
  return Bytes(room);
}

}  // namespace dgfs::delta
