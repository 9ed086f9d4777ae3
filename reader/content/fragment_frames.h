// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FragmentFrames: reads fragment frames, which small files share. It decodes and caches a frame as
// a whole, because a reader of one file in it often reads the next ones soon.
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

/// Thread-safe. Every extent passed to it must have a fragment_offset.
class FragmentFrames {
 public:
  /// References, and the dictionaries of the options, must outlive it.
  FragmentFrames(CounterCells& counters, const ContentCaches& caches,
                 const format::FrameOptions& options)
      : counters_(counters), caches_(caches), options_(options) {}

  /// As Content::read(). One data read if the frame is not cached.
  [[nodiscard]] Status read(const Extent& extent, std::uint64_t at, MutableBytes out) const;
  /// All content of a file, from the stored bytes of its frame, which the caller has read. Errors:
  /// kCorrupt.
  [[nodiscard]] Status open_stored(const Extent& extent, Bytes stored, Buffer& content) const;

 private:
  /// Content of the whole frame, from the cache if it is there. `stored`: the frame's stored bytes
  /// if the caller has read them; nullopt: the call reads them.
  [[nodiscard]] Result<std::shared_ptr<const Buffer>> frame_of(
      const Extent& extent, std::optional<Bytes> stored = {}) const;

  CounterCells& counters_;
  const ContentCaches caches_;
  const format::FrameOptions options_;
};

}  // namespace dgfs::reader
