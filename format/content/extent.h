// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extents: the stored content of one file, as a sequence of frames. Each frame is verified by
// itself, so that every read checks what it returns. The rules are in docs/FORMAT.md, "Extents".
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

/// Stores `content` (a whole file) as an extent at the beginning of `out`, which must have room for
/// it.
void store_raw_extent(Bytes content, MutableBytes out);
/// Appends such an extent to `out`.
void append_raw_extent(Bytes content, Buffer& out);
/// Appends a compressed extent to `out`; deterministic for one version of zstd.
/// @param dictionary  used if the content has one frame; may be null
/// Errors: kInvalidArgument (level), kLimit (memory, F-305).
[[nodiscard]] Status append_zstd_extent(Bytes content, int level, Buffer& out,
                                        const ContentDictionary* dictionary = nullptr);

/// How to open a frame.
struct FrameOptions {
  const ContentDictionaries* dictionaries = nullptr;  ///< of the image; null: it has none
  /// Whether the checksum is verified. If not, a damaged frame may give wrong content of the right
  /// length instead of an error.
  bool checked = true;
};

/// Checks one stored frame that begins with its checksum, and decodes its content: any frame of a
/// raw extent, or the only frame of a zstd extent.
/// @param stored  checksum and stored bytes of exactly this frame
/// @param out     receives exactly the frame's content; its size is the expected one
/// Errors: kCorrupt.
[[nodiscard]] Status open_frame(ExtentCodec codec, std::uint64_t frame, Bytes stored,
                                MutableBytes out, const FrameOptions& options = {});
/// Decodes all content of a fragment frame, at most kFragmentFrameBytesMax. The zstd frame states
/// its length.
/// @param stored  checksum and zstd frame
/// Errors: kCorrupt (F-307).
[[nodiscard]] Result<Buffer> open_fragment_frame(Bytes stored, const FrameOptions& options = {});
/// As open_frame(), for a zstd frame whose checksum is in the seek table.
[[nodiscard]] Status open_listed_frame(std::uint64_t frame, Bytes stored, std::uint64_t checksum,
                                       MutableBytes out, const FrameOptions& options = {});

}  // namespace dgfs::format
