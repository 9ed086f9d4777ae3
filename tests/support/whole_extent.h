// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extents decoded as a whole, with format/ alone.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "format/content/extent.h"
#include "format/content/seek_table.h"

namespace dgfs::test {

/// The places of the frames of an extent.
struct ExtentFrames {
  std::vector<std::uint64_t> offsets;  ///< of frames 0..frames
  std::optional<format::SeekTable> table;
};

inline Result<ExtentFrames> find_frames(format::ExtentCodec codec, Bytes extent,
                                        std::uint64_t content_bytes) {
  const auto wrong = [] { return Error(ErrorKind::kCorrupt, 1, "extent of another length"); };
  ExtentFrames found;
  const auto frames = format::frame_count(codec, content_bytes);
  if (codec == format::ExtentCodec::kZstd && format::has_seek_table(content_bytes)) {
    const auto bytes = static_cast<std::size_t>(format::seek_table_bytes(frames));
    if (bytes > extent.size()) return wrong();
    DGFS_TRY(table, format::SeekTable::decode(extent.last(bytes), content_bytes, extent.size()));
    for (std::uint64_t i = 0; i <= frames; ++i) found.offsets.push_back(table.begin(i));
    found.table = std::move(table);
    return found;
  }
  const bool raw = codec == format::ExtentCodec::kRaw;
  if (raw && extent.size() != format::raw_extent_bytes(content_bytes)) return wrong();
  for (std::uint64_t i = 0; i < frames; ++i) found.offsets.push_back(format::raw_frame_offset(i));
  found.offsets.push_back(extent.size());
  return found;
}

inline Result<Buffer> read_extent(format::ExtentCodec codec, Bytes extent,
                                  std::uint64_t content_bytes,
                                  const format::FrameOptions& options = {}) {
  DGFS_TRY(found, find_frames(codec, extent, content_bytes));
  Buffer content(static_cast<std::size_t>(content_bytes));
  for (std::uint64_t i = 0; i < format::frame_count(codec, content_bytes); ++i) {
    const auto begin = static_cast<std::size_t>(i) * format::frame_bytes(codec);
    const auto out = MutableBytes(content).subspan(
        begin, std::min(format::frame_bytes(codec), content.size() - begin));
    const auto stored =
        extent.subspan(static_cast<std::size_t>(found.offsets[i]),
                       static_cast<std::size_t>(found.offsets[i + 1] - found.offsets[i]));
    DGFS_CHECK(found.table
                   ? format::open_listed_frame(i, stored, found.table->checksum(i), out, options)
                   : format::open_frame(codec, i, stored, out, options));
  }
  return content;
}

}  // namespace dgfs::test
