// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How a block is stored: as it is, or as a zstd frame where that is shorter.
//
//   0  1  codec: 0 plain, 1 zstd
//   1     plain: the rest is the block; zstd: its length, a varint, and then the frame
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/result.h"
#include "format/zstd/frame.h"

namespace dgfs::delta {

/// Longer blocks are stored as they are, so that no frame asks for more memory.
inline constexpr std::size_t kCompressedBlockBytesMax = std::size_t{16} << 20;

/// Not thread-safe.
class BlockPacker {
 public:
  /// @param level  zstd's, 1 to 22; 0: blocks are stored as they are
  explicit BlockPacker(int level) : level_(level) {}
  /// As it is to be stored: until the next call. Errors: kLimit (out of memory).
  /// @param compressed_bytes_max  a longer block is stored as it is
  [[nodiscard]] Result<Bytes> pack(Bytes block,
                                   std::size_t compressed_bytes_max = kCompressedBlockBytesMax);

 private:
  int level_;
  format::ZstdCompressor compressor_;
  Buffer stored_;
};

/// The block that was packed: in `room`, or where it is stored, if as it is; `room` is empty then.
/// @param room_bytes_max  what is said to take more is refused
/// Errors: kCorrupt, kLimit (out of memory). Memory: room_bytes_max at most.
[[nodiscard]] Result<Bytes> unpack_block(Bytes stored, Buffer& room,
                                         std::size_t room_bytes_max = kCompressedBlockBytesMax);

}  // namespace dgfs::delta
