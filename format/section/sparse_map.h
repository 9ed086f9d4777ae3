// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sparse maps: which bytes of a file are data. The other bytes are holes, which read as zeros and
// stay holes on extraction. The extent holds the data segments back to back.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

/// The places of the data of a sparse file, in the file and in its extent. A value.
class SparseMap {
 public:
  /// Bytes [begin, begin + length) of the file are bytes [content, content + length) of the extent.
  /// A value.
  struct Segment {
    std::uint64_t begin = 0;    ///< in the file, in bytes
    std::uint64_t length = 0;   ///< in bytes, not 0
    std::uint64_t content = 0;  ///< in the extent's contents, in bytes
    friend bool operator==(const Segment&, const Segment&) = default;
  };

  /// The map of a file without holes: one segment, or none if the file is empty.
  [[nodiscard]] static SparseMap whole(std::uint64_t file_bytes);

  /// Segments must be added in rising order. They must not touch one another or be empty.
  void add(std::uint64_t begin_bytes, std::uint64_t length_bytes);
  /// In rising order.
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// Number of bytes of data, without holes.
  [[nodiscard]] std::uint64_t content_bytes() const;
  /// Index of the first segment that ends after `offset_bytes`; segments().size() if none.
  [[nodiscard]] std::size_t find(std::uint64_t offset_bytes) const;
  /// Memory in bytes, for the budget of a cache.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Appends the bytes that decode() reads.
  void encode(Buffer& out) const;
  /// @param body        all of the record, without its checksum
  /// @param file_bytes  logical size; segments must lie inside
  /// Errors: kCorrupt, kLimit.
  [[nodiscard]] static Result<SparseMap> decode(Bytes body, std::uint64_t file_bytes);

  friend bool operator==(const SparseMap&, const SparseMap&) = default;

 private:
  std::vector<Segment> segments_;
};

}  // namespace dgfs::format
