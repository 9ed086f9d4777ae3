// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/disk/block_codec.h"

#include <algorithm>

#include "format/coding.h"

namespace dgfs::delta {
namespace {

constexpr std::uint8_t kPlain = 0;
constexpr std::uint8_t kZstd = 1;
// What saves less is not worth the time of each read.
constexpr std::size_t kGainShare = 8;
constexpr std::size_t kHeadBytesMax = 11;

}  // namespace

Result<Bytes> BlockPacker::pack(Bytes block) {
  stored_.clear();
  if (level_ != 0 && block.size() > kHeadBytesMax * kGainShare &&
      block.size() <= kCompressedBlockBytesMax) {
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

Result<Block> unpack_block(Buffer stored) {
  if (stored.empty() || stored.front() > kZstd) {
    return Error(ErrorKind::kCorrupt, 7035, "a block of no known codec");
  }
  if (stored.front() == kPlain) return Block(std::move(stored), 1);
  format::Decoder in(Bytes(stored).subspan(1));
  DGFS_TRY(length, in.varint_up_to(kCompressedBlockBytesMax));
  DGFS_TRY(frame, in.raw(in.remaining()));
  Buffer block(static_cast<std::size_t>(length));
  DGFS_CHECK(format::decompress_zstd_frame(frame, block));
  return Block(std::move(block), 0);
}

}  // namespace dgfs::delta
