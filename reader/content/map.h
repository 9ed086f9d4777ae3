// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ContentMap: the data, beside its node, that is needed to find a file's content: the data segments
// of a sparse file, or the seek table of a compressed one. Cached, because large files are read
// piece by piece.
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

/// Identifies a map or a frame by its record or extent. Fields that do not apply are 0. Files that
/// share an extent share its frames.
struct ContentKey {
  enum class Kind : std::uint8_t { kSegments, kSeekTable, kFrame, kFragmentFrame };
  std::uint64_t image = 0;  ///< ContentCaches::image
  Kind kind = Kind::kFrame;
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  format::VolumeNumber volume = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
  /// kFrame: number of the frame; kFragmentFrame: 0; kSegments: size of the file; kSeekTable: size
  /// of the content.
  std::uint64_t frame = 0;
  friend bool operator==(const ContentKey&, const ContentKey&) = default;
};
struct ContentKeyHash {
  std::size_t operator()(const ContentKey& key) const noexcept;
};

using ContentMapCache = SharedCache<ContentKey, ContentMap, ContentKeyHash>;
using FrameCache = SharedCache<ContentKey, Buffer, ContentKeyHash>;

/// The caches for an image's contents, perhaps shared with other images. Both must outlive their
/// users.
struct ContentCaches {
  FrameCache& frames;
  ContentMapCache& maps;
  std::uint64_t image;  ///< number of the image in the caches
};

}  // namespace dgfs::reader
