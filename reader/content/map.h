// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ContentMap: what beside its node is needed to find a file's content: the data segments of a
// sparse file, or the seek table of a compressed one. Cached, since large files are
// read piece by piece.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "format/content/seek_table.h"
#include "format/section/sparse_map.h"
#include "reader/shared_cache.h"

namespace dgfs::reader {

struct ContentMap {
  format::SparseMap segments;
  std::optional<format::SeekTable> seek_table;

  [[nodiscard]] std::size_t memory_bytes() const;
};
using ContentMapPointer = std::shared_ptr<const ContentMap>;

/// What identifies a map or a frame: the record or extent it belongs to. Fields that do not apply
/// are 0. Two files that share an extent share its frames.
struct ContentKey {
  enum class Kind : std::uint8_t { kSegments, kSeekTable, kFrame, kFragmentFrame };
  std::uint64_t image = 0;  ///< ContentCaches::image
  Kind kind = Kind::kFrame;
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  format::VolumeNumber volume = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
  /// kFrame: its number; kFragmentFrame: 0; else the file's or content's size
  std::uint64_t frame = 0;
  friend bool operator==(const ContentKey&, const ContentKey&) = default;
};
struct ContentKeyHash {
  std::size_t operator()(const ContentKey& key) const noexcept;
};

using ContentMapCache = SharedCache<ContentKey, ContentMap, ContentKeyHash>;
using FrameCache = SharedCache<ContentKey, Buffer, ContentKeyHash>;

/// The caches of an image's contents, which others may share. Both must outlive their users.
struct ContentCaches {
  FrameCache& frames;
  ContentMapCache& maps;
  std::uint64_t image;  ///< by which number they know the image
};

}  // namespace dgfs::reader
