// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The stored form of a block: plain, or a zstd frame if that is shorter.
//
//   0  1  codec: 0 plain, 1 zstd
//   1     plain: the block; zstd: length of the block, a varint, and then the frame
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/result.h"
#include "format/zstd/frame.h"

namespace dgfs::delta {

/// Longer blocks are stored plain, so that no frame needs more memory.
inline constexpr std::size_t kCompressedBlockBytesMax = std::size_t{16} << 20;

/// Not thread-safe.
class BlockPacker {
 public:
  /// @param level  zstd level, 1 to 22; 0: stores blocks plain
  explicit BlockPacker(int level) : level_(level) {}
  /// The stored form of a block, valid until the next call. Errors: kLimit (out of memory).
  /// @param compressed_bytes_max  a longer block is stored plain
  [[nodiscard]] Result<Bytes> pack(Bytes block,
                                   std::size_t compressed_bytes_max = kCompressedBlockBytesMax);

 private:
  int level_;
  format::ZstdCompressor compressor_;
  Buffer stored_;
};

/// Decodes the stored form of a block. The result is in `room`; of a block stored plain it is in
/// `stored`, and `room` is empty.
/// @param room_bytes_max  a frame that claims to be longer is refused
/// Errors: kCorrupt, kLimit (out of memory). Memory: at most room_bytes_max.
[[nodiscard]] Result<Bytes> unpack_block(Bytes stored, Buffer& room,
                                         std::size_t room_bytes_max = kCompressedBlockBytesMax);

}  // namespace dgfs::delta
