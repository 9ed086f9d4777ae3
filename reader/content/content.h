// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Content: bytes of an extent, read frame by frame and checked before they are handed out.
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
  /// @param checked  whether read() verifies checksums of frames
  Content(const Volumes& volumes, const format::ContentDictionaries& dictionaries,
          CounterCells& counters, const ContentCaches& caches, bool checked)
      : volumes_(volumes),
        counters_(counters),
        caches_(caches),
        options_{&dictionaries, checked},
        fragments_(counters, caches, options_) {}

  /// The extent of a file with so much content (bytes without holes; not 0).
  /// Errors: as extent_of() of reader/content/file_extent.h.
  [[nodiscard]] Result<Extent> extent_of(const Node& node, std::uint64_t content_bytes) const {
    return reader::extent_of(volumes_, node, content_bytes);
  }

  /// Content bytes [at, at + out.size()), which must lie in the extent. On an error `out` holds
  /// nothing of a frame that failed. One data read per run of frames not cached (a further one
  /// for the seek table of a compressed file of several frames, which is then kept).
  [[nodiscard]] Status read(const Extent& extent, std::uint64_t at, MutableBytes out) const;

  /// Tells the device that a read of the extent's begin will come. Returns at once.
  void announce(const Extent& extent, std::uint64_t stored_bytes_max) const;

  /// Tells the system what becomes of content bytes [at, at + length) of a raw extent, which must
  /// lie in it: that they will be read, say, or need not stay in the page cache.
  void advise(const Extent& extent, storage::Access access, std::uint64_t at,
              std::uint64_t length) const;

  /// All content of an extent whose stored bytes the caller has read. The result points into
  /// `stored` or into `scratch`. None where something is wrong with them: read() says what.
  [[nodiscard]] std::optional<Bytes> open_stored(const Extent& extent, Bytes stored,
                                                 Buffer& scratch) const;

  /// Checks extents of one frame each that stand back to back in one volume; one data read, of all
  /// of them. Says of the first damaged one what is wrong. Counts no error: who reads the extents
  /// one by one then does.
  [[nodiscard]] Status check_neighbours(std::span<const Extent> extents) const;

  /// Where in the volume content byte `at` stands; for compressed frames, where its frame begins.
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
