// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SegmentList: the data segments of a file with holes on their way into its sparse map. A file may
// have 2^24 of them, so they are kept as the bytes that the map will have, 4 to 5 each as a rule,
// in chunks that can be entered one by one.
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

  /// Segments must be given in rising order, not touching, not empty.
  void add(std::uint64_t begin_bytes, std::uint64_t length_bytes);
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Bytes of data, holes left out.
  [[nodiscard]] std::uint64_t content_bytes() const { return content_bytes_; }
  /// Appends what format::SparseMap::encode() would.
  void encode(Buffer& out) const;
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Gives segments in order. The list outlives it and does not change meanwhile.
  class Reader {
   public:
    /// @param content  the first segment is the one with this byte of the contents
    Reader(const SegmentList& list, std::uint64_t content);
    /// There must be one left.
    [[nodiscard]] Segment next();

   private:
    [[nodiscard]] Segment decode();

    const SegmentList& list_;
    std::uint64_t content_;
    std::size_t chunk_ = 0;
    std::size_t at_ = 0;             // in the chunk's bytes
    std::uint64_t end_ = 0;          // of the segment before
    std::uint64_t content_end_ = 0;  // likewise
  };

 private:
  static constexpr std::size_t kChunkSegments = 1024;

  struct Chunk {
    std::uint64_t end = 0;      ///< of the segment before, in the file
    std::uint64_t content = 0;  ///< of the first segment
    Buffer bytes;
  };

  [[nodiscard]] std::size_t encoded_bytes() const;

  std::vector<Chunk> chunks_;
  std::size_t count_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t content_bytes_ = 0;
};

}  // namespace dgfs::builder
