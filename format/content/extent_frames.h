// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How an extent is divided into frames (format/content/extent.h): their number, lengths and places.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/entry/entry.h"
#include "format/limits.h"

namespace dgfs::format {

/// Content of a frame of a zstd extent; the last frame has the rest.
inline constexpr std::size_t kZstdFrameBytes = 131072;

/// Longest zstd frame of kZstdFrameBytes, by zstd's own bound.
inline constexpr std::size_t kZstdFrameStoredBytesMax = kZstdFrameBytes + 512;

/// Most frames of a zstd extent (F-305): 128 GiB of content. This bounds the memory that a reader
/// needs to read any part of it to 16 MiB, however long a file claims to be.
inline constexpr std::uint64_t kZstdFramesMax = std::uint64_t{1} << 20;

/// Content of each frame but the last.
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
/// Inverse of raw_extent_bytes; 2^64-1 if no content has that stored size.
[[nodiscard]] std::uint64_t raw_content_bytes(std::uint64_t stored_bytes);

/// Offset of frame `frame` of a raw extent from the start of the extent.
[[nodiscard]] constexpr std::uint64_t raw_frame_offset(std::uint64_t frame) {
  return frame * kStoredFrameBytes;
}
/// Whether a zstd extent of `content_bytes` has a seek table.
[[nodiscard]] constexpr bool has_seek_table(std::uint64_t content_bytes) {
  return content_bytes > kZstdFrameBytes;
}

/// Checksum of a frame: of the stored content, or of the zstd frame.
[[nodiscard]] std::uint64_t frame_checksum(std::uint64_t frame, Bytes stored) noexcept;

}  // namespace dgfs::format
