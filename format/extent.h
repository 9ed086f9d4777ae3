// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extents: the stored content of one file, a sequence of frames. A frame covers kFrameBytes of
// content (the last one what is left) and begins with the checksum of its stored bytes, seeded
// with the frame's number, so that every read verifies what it returns and frames cannot be
// mistaken for each other.
//
//   raw:   (checksum 8, content <= 65536)*
//   zstd:  (checksum 8, zstd frame)*, then, where there is more than one frame, a trailer:
//          frame lengths u32 * frames, checksum 8 of those
//
// "Content" is the file's bytes without its holes (format/sparse_map.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry.h"
#include "format/limits.h"

namespace dgfs::format {

/// Frames of a zstd extent (F-305): a terabyte of content. What a reader must hold to read any of
/// it is bounded by this, however long a file claims to be.
inline constexpr std::uint64_t kZstdFramesMax = std::uint64_t{1} << 24;

/// Longest stored frame of a zstd extent: checksum and zstd's bound for kFrameBytes.
inline constexpr std::size_t kZstdFrameStoredBytesMax = kChecksumBytes + kFrameBytes + 288;

/// Number of frames for `content_bytes`.
[[nodiscard]] constexpr std::uint64_t frame_count(std::uint64_t content_bytes) {
  return content_bytes / kFrameBytes + (content_bytes % kFrameBytes != 0 ? 1 : 0);
}
/// Stored size of a raw extent.
[[nodiscard]] constexpr std::uint64_t raw_extent_bytes(std::uint64_t content_bytes) {
  return content_bytes + frame_count(content_bytes) * kChecksumBytes;
}
/// Inverse of raw_extent_bytes; nullopt-like 2^64-1 where no content has that stored size.
[[nodiscard]] std::uint64_t raw_content_bytes(std::uint64_t stored_bytes);

/// Where frame `frame` of a raw extent begins, from the extent's start.
[[nodiscard]] constexpr std::uint64_t raw_frame_offset(std::uint64_t frame) {
  return frame * (kFrameBytes + kChecksumBytes);
}

/// Checksum to store before a frame.
[[nodiscard]] std::uint64_t frame_checksum(std::uint64_t frame, Bytes stored) noexcept;

/// Appends `content` (whole file) as an extent to `out`.
void append_raw_extent(Bytes content, Buffer& out);
/// The same, compressed; deterministic for one zstd version.
[[nodiscard]] Status append_zstd_extent(Bytes content, int level, Buffer& out);

/// Checks one stored frame (checksum included) and gives its content.
/// @param stored  checksum and stored bytes of exactly this frame
/// @param out     receives exactly the frame's content; its size is the expected one
/// Errors: kCorrupt.
[[nodiscard]] Status open_frame(ExtentCodec codec, std::uint64_t frame, Bytes stored,
                                MutableBytes out);
/// The same without a look at the checksum: a damaged frame may give wrong content instead of an
/// error, of the right length.
[[nodiscard]] Status open_frame_unchecked(ExtentCodec codec, std::uint64_t frame, Bytes stored,
                                          MutableBytes out);

/// Frame places of a multi-frame zstd extent from its trailer.
/// @param trailer  the last frames * 4 + 8 bytes of the extent
/// @return offsets of frames 0..frames in the extent (frames + 1 values)
/// Errors: kCorrupt (checksum, lengths that do not add up to the extent).
[[nodiscard]] Result<std::vector<std::uint64_t>> zstd_frame_offsets(Bytes trailer,
                                                                    std::uint64_t frames,
                                                                    std::uint64_t stored_bytes);
[[nodiscard]] constexpr std::uint64_t zstd_trailer_bytes(std::uint64_t frames) {
  return frames > 1 ? frames * 4 + kChecksumBytes : 0;
}

}  // namespace dgfs::format
