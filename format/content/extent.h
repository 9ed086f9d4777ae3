// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extents: the stored content of one file, a sequence of frames, each of which is verified by
// itself, so that every read checks what it returns. docs/FORMAT.md, "Extents", is the rule.
//
//   raw:   (checksum 8, content <= 65536)*
//   zstd:  checksum 8, zstd frame                    for content <= 131072
//          (zstd frame)*, seek table                 for more (format/content/seek_table.h)
//
// "Content" is the file's bytes without its holes (format/section/sparse_map.h).
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "format/content/extent_frames.h"
#include "format/entry/entry.h"
#include "format/limits.h"
#include "format/zstd/content_dictionary.h"

namespace dgfs::format {

/// Puts `content` (whole file) as an extent at the beginning of `out`, which has room for it.
void store_raw_extent(Bytes content, MutableBytes out);
/// Appends it to `out`.
void append_raw_extent(Bytes content, Buffer& out);
/// The same, compressed; deterministic for one zstd version.
/// @param dictionary  for content of one frame; may be null
/// Errors: kInvalidArgument (level), kLimit (memory, F-305).
[[nodiscard]] Status append_zstd_extent(Bytes content, int level, Buffer& out,
                                        const ContentDictionary* dictionary = nullptr);

/// What opening a frame may use and must do.
struct FrameOptions {
  const ContentDictionaries* dictionaries = nullptr;  ///< of the image; null: it has none
  /// Whether the checksum is looked at. If not, a damaged frame may give wrong content instead of
  /// an error, of the right length.
  bool checked = true;
};

/// Checks one stored frame that begins with its checksum, and gives its content: any of a raw
/// extent, the only one of a zstd extent.
/// @param stored  checksum and stored bytes of exactly this frame
/// @param out     receives exactly the frame's content; its size is the expected one
/// Errors: kCorrupt.
[[nodiscard]] Status open_frame(ExtentCodec codec, std::uint64_t frame, Bytes stored,
                                MutableBytes out, const FrameOptions& options = {});
/// All content of a fragment frame, at most kFragmentFrameBytesMax; its length stands in the zstd
/// frame.
/// @param stored  checksum and zstd frame
/// Errors: kCorrupt (F-307).
[[nodiscard]] Result<Buffer> open_fragment_frame(Bytes stored, const FrameOptions& options = {});
/// The same of a zstd frame whose checksum stands in the seek table.
[[nodiscard]] Status open_listed_frame(std::uint64_t frame, Bytes stored, std::uint64_t checksum,
                                       MutableBytes out, const FrameOptions& options = {});

}  // namespace dgfs::format
