// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How an extent is cut into frames (format/content/extent.h): how many, how long, and where they
// stand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/entry/entry.h"
#include "format/limits.h"

namespace dgfs::format {

/// Content of a frame of a zstd extent; the last one has what is left.
inline constexpr std::size_t kZstdFrameBytes = 131072;

/// Longest zstd frame of kZstdFrameBytes: zstd's bound.
inline constexpr std::size_t kZstdFrameStoredBytesMax = kZstdFrameBytes + 512;

/// Frames of a zstd extent (F-305): 128 GiB of content. What a reader must hold to read any of it
/// is bounded by this, 16 MiB, however long a file claims to be.
inline constexpr std::uint64_t kZstdFramesMax = std::uint64_t{1} << 20;

/// Content of all frames but the last.
[[nodiscard]] constexpr std::size_t frame_bytes(ExtentCodec codec) {
  return codec == ExtentCodec::kZstd ? kZstdFrameBytes : kFrameBytes;
}
/// Number of frames for `content_bytes`.
[[nodiscard]] constexpr std::uint64_t frame_count(ExtentCodec codec, std::uint64_t content_bytes) {
  return content_bytes / frame_bytes(codec) + (content_bytes % frame_bytes(codec) != 0 ? 1 : 0);
}
/// Stored size of a raw extent.
[[nodiscard]] constexpr std::uint64_t raw_extent_bytes(std::uint64_t content_bytes) {
  return content_bytes + frame_count(ExtentCodec::kRaw, content_bytes) * kChecksumBytes;
}
/// Inverse of raw_extent_bytes; nullopt-like 2^64-1 where no content has that stored size.
[[nodiscard]] std::uint64_t raw_content_bytes(std::uint64_t stored_bytes);

/// Where frame `frame` of a raw extent begins, from the extent's start.
[[nodiscard]] constexpr std::uint64_t raw_frame_offset(std::uint64_t frame) {
  return frame * kStoredFrameBytes;
}
/// Whether a zstd extent of so much content has a seek table.
[[nodiscard]] constexpr bool has_seek_table(std::uint64_t content_bytes) {
  return content_bytes > kZstdFrameBytes;
}

/// Checksum of a frame: of its content as it is stored, or of the zstd frame.
[[nodiscard]] std::uint64_t frame_checksum(std::uint64_t frame, Bytes stored) noexcept;

}  // namespace dgfs::format
