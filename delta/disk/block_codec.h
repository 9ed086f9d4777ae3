// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How a block is stored: as it is, or as a zstd frame where that is shorter.
//
//   0  1  codec: 0 plain, 1 zstd
//   1     plain: the rest is the block; zstd: its length, a varint, and then the frame
#pragma once

#include <cstddef>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "format/zstd_frame.h"

namespace dgfs::delta {

/// Longer blocks are stored as they are, so that no frame asks for more memory.
inline constexpr std::size_t kCompressedBlockBytesMax = std::size_t{16} << 20;

/// Not thread-safe.
class BlockPacker {
 public:
  /// @param level  zstd's, 1 to 22; 0: blocks are stored as they are
  explicit BlockPacker(int level) : level_(level) {}
  /// As it is to be stored: until the next call. Errors: kLimit (out of memory).
  [[nodiscard]] Result<Bytes> pack(Bytes block);

 private:
  int level_;
  format::ZstdCompressor compressor_;
  Buffer stored_;
};

/// A block as it was before it was packed. One that is stored as it is stays where it was read.
class Block {
 public:
  /// @param head_bytes  before the block; at most bytes.size()
  Block(Buffer bytes, std::size_t head_bytes) : bytes_(std::move(bytes)), head_bytes_(head_bytes) {}
  [[nodiscard]] Bytes bytes() const { return Bytes(bytes_).subspan(head_bytes_); }

 private:
  Buffer bytes_;
  std::size_t head_bytes_;
};

/// The block that was packed. Errors: kCorrupt, kLimit (out of memory).
/// Memory: kCompressedBlockBytesMax at most, or as much as `stored` has.
[[nodiscard]] Result<Block> unpack_block(Buffer stored);

}  // namespace dgfs::delta
