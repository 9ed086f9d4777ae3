// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Content: reads the bytes of an extent frame by frame, and checks them before it returns them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "format/content/seek_table.h"
#include "format/zstd/content_dictionary.h"
#include "reader/content/file_extent.h"
#include "reader/content/fragment_frames.h"
#include "reader/content/map.h"
#include "reader/counter_cells.h"
#include "reader/node.h"
#include "reader/volume/volumes.h"

namespace dgfs::reader {

/// Thread-safe.
class Content {
 public:
  /// All references must outlive it.
  /// @param checked  read() verifies checksums of frames
  Content(const Volumes& volumes, const format::ContentDictionaries& dictionaries,
          CounterCells& counters, const ContentCaches& caches, bool checked)
      : volumes_(volumes),
        counters_(counters),
        caches_(caches),
        options_{&dictionaries, checked},
        fragments_(counters, caches, options_) {}

  /// extent_of() of reader/content/file_extent.h, with its errors.
  [[nodiscard]] Result<Extent> extent_of(const Node& node, std::uint64_t content_bytes) const {
    return reader::extent_of(volumes_, node, content_bytes);
  }

  /// Reads content bytes [at, at + out.size()), which must lie in the extent. After an error, `out`
  /// holds no byte of the failed frame. One data read for each run of frames that are not cached.
  /// One more for the seek table of a compressed file of several frames, which is then cached.
  [[nodiscard]] Status read(const Extent& extent, std::uint64_t at, MutableBytes out) const;

  /// Announces a read of the extent's begin to the kernel. Returns at once.
  void announce(const Extent& extent, std::uint64_t stored_bytes_max) const;

  /// Tells the kernel how content bytes [at, at + length) of a raw extent will be used: for
  /// instance that they will be read, or need not stay in the page cache. The bytes must lie in the
  /// extent.
  void advise(const Extent& extent, storage::Access access, std::uint64_t at,
              std::uint64_t length) const;

  /// All content of an extent, from its stored bytes, which the caller has read. The result points
  /// into `stored` or into `scratch`. nullopt if the bytes are damaged; read() then gives the
  /// error.
  [[nodiscard]] std::optional<Bytes> open_stored(const Extent& extent, Bytes stored,
                                                 Buffer& scratch) const;

  /// Checks extents of one frame each that stand back to back in one volume, with one data read.
  /// Returns the error of the first damaged extent. Counts no error, because the caller then reads
  /// the extents one by one, which counts it.
  [[nodiscard]] Status check_neighbours(std::span<const Extent> extents) const;

  /// Offset of content byte `at` in the volume; for a compressed frame, the offset of the frame.
  [[nodiscard]] Result<std::uint64_t> locate(const Extent& extent, std::uint64_t at) const;

 private:
  struct Run;
  [[nodiscard]] bool copy_cached(const Extent& extent, std::uint64_t at, MutableBytes out) const;
  [[nodiscard]] Status read_run(const Extent& extent, Run& run) const;
  [[nodiscard]] Status read_raw(const Extent& extent, Run& run) const;
  [[nodiscard]] Status read_zstd(const Extent& extent, Run& run) const;
  void hand_out(const Extent& extent, Run& run) const;
  [[nodiscard]] Result<ContentMapPointer> seek_table(const Extent& extent) const;
  [[nodiscard]] Status open_frame(const Extent& extent, const format::SeekTable* table,
                                  std::uint64_t frame, Bytes stored, MutableBytes out) const;

  const Volumes& volumes_;
  CounterCells& counters_;
  const ContentCaches caches_;
  format::FrameOptions options_;
  FragmentFrames fragments_;
};

}  // namespace dgfs::reader
