// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SegmentList: the data segments of a sparse file, for its sparse map. A file may have 2^24 of
// them, so they are kept encoded as in the map, usually 4 to 5 bytes each. They are divided into
// chunks, so that reading can begin at any chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "format/section/sparse_map.h"

namespace dgfs::builder {

/// Reading is const and thread-safe.
class SegmentList {
 public:
  using Segment = format::SparseMap::Segment;

  /// Adds a segment. Segments must rise, must not touch and must not be empty.
  void add(std::uint64_t begin_bytes, std::uint64_t length_bytes);
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Bytes of data without holes.
  [[nodiscard]] std::uint64_t content_bytes() const { return content_bytes_; }
  /// Appends the same bytes as format::SparseMap::encode().
  void encode(Buffer& out) const;
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Reads segments in order. The list must outlive it and must not change meanwhile.
  class Reader {
   public:
    /// @param content  begin with the segment that has this byte of the content
    Reader(const SegmentList& list, std::uint64_t content);
    /// The next segment, which must exist.
    [[nodiscard]] Segment next();

   private:
    [[nodiscard]] Segment decode();

    const SegmentList& list_;
    std::uint64_t content_;
    std::size_t chunk_ = 0;
    std::size_t at_ = 0;             // offset in the chunk's bytes
    std::uint64_t end_ = 0;          // end of the segment before, in the file
    std::uint64_t content_end_ = 0;  // end of the segment before, in the content
  };

 private:
  static constexpr std::size_t kChunkSegments = 1024;

  struct Chunk {
    std::uint64_t end = 0;      ///< end of the segment before, in the file
    std::uint64_t content = 0;  ///< content offset of the first segment
    Buffer bytes;
  };

  [[nodiscard]] std::size_t encoded_bytes() const;

  std::vector<Chunk> chunks_;
  std::size_t count_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t content_bytes_ = 0;
};

}  // namespace dgfs::builder
