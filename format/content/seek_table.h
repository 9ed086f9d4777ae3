// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seek tables: places and checksums of the frames of a zstd extent with several frames. The table
// consists of two skippable frames at the end of the extent. The first is ours. The second follows
// zstd's seekable format, so other programs can read the extent as a seekable zstd file.
//
//   magic 0x184D2A5D, length, checksum 8 of all that follows, checksum 8 of each frame
//   magic 0x184D2A5E, length, (compressed u32, decompressed u32) of each frame,
//                     frames u32, descriptor 0 u8, magic 0x8F92EAB1
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/content/extent_frames.h"

namespace dgfs::format {

/// Length of the seek table of an extent with `frames` frames, at least two.
[[nodiscard]] constexpr std::uint64_t seek_table_bytes(std::uint64_t frames) {
  return 16 + 8 * frames + 8 + 8 * frames + 9;
}

/// Filled frame by frame, then immutable and thread-safe. Memory: 16 bytes a frame.
class SeekTable {
 public:
  /// Adds the next frame.
  /// @param stored  the zstd frame, at most kZstdFrameStoredBytesMax
  void add(Bytes stored) { add(stored.size(), frame_checksum(frame_count(), stored)); }
  void add(std::uint64_t stored_bytes, std::uint64_t checksum);
  /// Appends the table of all frames to `out`.
  /// @param content_bytes  content of all frames together
  void encode(std::uint64_t content_bytes, Buffer& out) const;

  /// @param table  the last seek_table_bytes() of the extent
  /// Errors: kCorrupt (F-303, F-304), with the offset in the extent.
  [[nodiscard]] static Result<SeekTable> decode(Bytes table, std::uint64_t content_bytes,
                                                std::uint64_t stored_bytes);

  [[nodiscard]] std::uint64_t frame_count() const { return checksums_.size(); }
  /// Offset of frame `frame` from the start of the extent; for frame_count(), the end of the last
  /// frame.
  [[nodiscard]] std::uint64_t begin(std::uint64_t frame) const { return offsets_[frame]; }
  [[nodiscard]] std::uint64_t checksum(std::uint64_t frame) const { return checksums_[frame]; }
  [[nodiscard]] std::size_t memory_bytes() const {
    return (offsets_.capacity() + checksums_.capacity()) * sizeof(std::uint64_t);
  }

 private:
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<std::uint64_t> checksums_;
};

}  // namespace dgfs::format
