// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FragmentFrames: content of frames that small files share. A frame is decoded as a whole and kept:
// who reads one file of it reads the next ones soon.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "reader/content/file_extent.h"
#include "reader/content/map.h"
#include "reader/counter_cells.h"

namespace dgfs::reader {

/// Thread-safe. All extents that it is given have a fragment_offset.
class FragmentFrames {
 public:
  /// References, and the dictionaries of the options, must outlive it.
  FragmentFrames(CounterCells& counters, const ContentCaches& caches,
                 const format::FrameOptions& options)
      : counters_(counters), caches_(caches), options_(options) {}

  /// As Content::read(). One data read where the frame is not kept.
  [[nodiscard]] Status read(const Extent& extent, std::uint64_t at, MutableBytes out) const;
  /// All content of a file whose frame the caller has read. Errors: kCorrupt.
  [[nodiscard]] Status open_stored(const Extent& extent, Bytes stored, Buffer& content) const;

 private:
  /// The content of the whole frame, out of the cache if it is there. @param stored  where the
  /// caller has read it; else it is read
  [[nodiscard]] Result<std::shared_ptr<const Buffer>> frame_of(
      const Extent& extent, std::optional<Bytes> stored = {}) const;

  CounterCells& counters_;
  const ContentCaches caches_;
  const format::FrameOptions options_;
};

}  // namespace dgfs::reader
