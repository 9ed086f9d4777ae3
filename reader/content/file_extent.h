// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extent: where the content of one file lies, and how it is cut into frames.
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

/// The extent of one file, checked to lie within its volume. Values; the volume belongs to
/// Volumes.
struct Extent {
  const Volume* volume = nullptr;
  format::DataAddress address;
  std::uint64_t stored_bytes = 0;
  std::uint64_t content_bytes = 0;
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  /// Set: it is a fragment frame, and the content begins here in what it decodes to.
  std::optional<std::uint32_t> fragment_offset;
  /// Whether frames that a read covers in part are kept: not for raw files of one frame, which the
  /// kernel keeps and which cost one read anyhow.
  bool cached = false;

  [[nodiscard]] std::size_t frame_bytes() const { return format::frame_bytes(codec); }
  [[nodiscard]] std::uint64_t frame_count() const {
    return format::frame_count(codec, content_bytes);
  }
  /// Content of frame `frame`, which must be below frame_count().
  [[nodiscard]] std::size_t frame_content_bytes(std::uint64_t frame) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(frame_bytes(), content_bytes - frame * frame_bytes()));
  }
  /// Whether a seek table says where its frames stand.
  [[nodiscard]] bool has_seek_table() const {
    return codec == format::ExtentCodec::kZstd && format::has_seek_table(content_bytes);
  }
  /// Of an extent that has one.
  [[nodiscard]] std::size_t seek_table_bytes() const {
    return static_cast<std::size_t>(format::seek_table_bytes(frame_count()));
  }
  /// Where frame `frame` begins, from the extent's start; of frame_count(), where the last ends.
  /// @param table  of the extent, where it has one
  [[nodiscard]] std::uint64_t frame_begin(std::uint64_t frame,
                                          const format::SeekTable* table) const {
    if (table != nullptr) return table->begin(frame);
    return frame < frame_count() ? format::raw_frame_offset(frame) : stored_bytes;
  }
};

/// The extent of a file with so much content (bytes without holes; not 0).
/// Errors: kCorrupt (lengths contradict each other, outside the volume), kLimit, kNotFound
/// (volume).
[[nodiscard]] Result<Extent> extent_of(const Volumes& volumes, const Node& node,
                                       std::uint64_t content_bytes);

/// Reads stored bytes of an extent, from `offset` in it, in one data read, which is counted.
/// Errors: kIo, kCorrupt (the file ends early).
[[nodiscard]] Status read_stored(const Extent& extent, std::uint64_t offset,
                                 std::span<const MutableBytes> outs, CounterCells& counters);
/// What is wrong with a frame, and which bytes of content it has. kCorrupt.
/// @param stored_offset  of the frame, in the extent
[[nodiscard]] Error frame_error(std::uint16_t code, const Extent& extent, std::uint64_t frame,
                                std::uint64_t stored_offset, const char* what);

}  // namespace dgfs::reader
