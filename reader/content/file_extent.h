// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extent: the place of the content of one file, and its division into frames.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "format/content/extent.h"
#include "format/content/seek_table.h"
#include "reader/counter_cells.h"
#include "reader/node.h"
#include "reader/volume/volumes.h"

namespace dgfs::reader {

/// The extent of one file, checked to lie within its volume. A value; Volumes owns the volume.
struct Extent {
  const Volume* volume = nullptr;
  format::DataAddress address;
  std::uint64_t stored_bytes = 0;
  std::uint64_t content_bytes = 0;
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  /// Set if the extent is a fragment frame: where the content begins in the content of the frame.
  std::optional<std::uint32_t> fragment_offset;
  /// Whether frames that a read covers in part are cached. Not for raw files of one frame: the
  /// kernel caches them, and they cost one read in any case.
  bool cached = false;

  [[nodiscard]] std::size_t frame_bytes() const { return format::frame_bytes(codec); }
  [[nodiscard]] std::uint64_t frame_count() const {
    return format::frame_count(codec, content_bytes);
  }
  /// Content bytes of frame `frame`, which must be below frame_count().
  [[nodiscard]] std::size_t frame_content_bytes(std::uint64_t frame) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(frame_bytes(), content_bytes - frame * frame_bytes()));
  }
  /// Whether the extent has a seek table with the places of its frames.
  [[nodiscard]] bool has_seek_table() const {
    return codec == format::ExtentCodec::kZstd && format::has_seek_table(content_bytes);
  }
  /// Length of the seek table of an extent that has one.
  [[nodiscard]] std::size_t seek_table_bytes() const {
    return static_cast<std::size_t>(format::seek_table_bytes(frame_count()));
  }
  /// Offset of frame `frame` in the extent; for frame_count(), the end of the last frame.
  /// @param table  seek table of the extent; null if it has none
  [[nodiscard]] std::uint64_t frame_begin(std::uint64_t frame,
                                          const format::SeekTable* table) const {
    if (table != nullptr) return table->begin(frame);
    return frame < frame_count() ? format::raw_frame_offset(frame) : stored_bytes;
  }
};

/// The extent of a file. `content_bytes` are those of the file without holes, and not 0. Errors:
/// kCorrupt (lengths contradict each other, or it lies outside the volume), kLimit, kNotFound
/// (volume).
[[nodiscard]] Result<Extent> extent_of(const Volumes& volumes, const Node& node,
                                       std::uint64_t content_bytes);

/// Reads stored bytes of an extent from `offset` on, in one data read, and counts it. Errors: kIo,
/// kCorrupt (the file ends early).
[[nodiscard]] Status read_stored(const Extent& extent, std::uint64_t offset,
                                 std::span<const MutableBytes> outs, CounterCells& counters);
/// A kCorrupt error that says what is wrong with a frame and which bytes of content it has.
/// @param stored_offset  offset of the frame in the extent
[[nodiscard]] Error frame_error(std::uint16_t code, const Extent& extent, std::uint64_t frame,
                                std::uint64_t stored_offset, const char* what);

}  // namespace dgfs::reader
