// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SegmentReader: reads a segment of the log from its start to its end, in large pieces if there is
// something to read.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"

namespace dgfs::delta {

/// For one thread at a time.
class SegmentReader {
 public:
  enum class Ahead : std::uint8_t {
    kNothing,  ///< reads no further: maybe nothing follows
    kPiece,    ///< reads a mebibyte, or up to the end of the segment
  };

  /// @param file           of the segment; must outlive it
  /// @param segment_bytes  its length
  SegmentReader(const storage::File& file, std::uint64_t segment_bytes)
      : file_(&file), segment_bytes_(segment_bytes) {}

  /// Bytes of the segment, as they were at the first read; valid until the next call.
  /// @param offset_bytes  with `count` inside the segment
  /// Errors: kIo; kCorrupt (the file has become shorter).
  [[nodiscard]] Result<Bytes> read(std::uint64_t offset_bytes, std::size_t count, Ahead ahead);

  [[nodiscard]] const storage::File& file() const { return *file_; }

 private:
  [[nodiscard]] bool has(std::uint64_t offset_bytes, std::size_t count) const {
    return offset_bytes >= begin_ && offset_bytes + count <= begin_ + piece_.size();
  }

  const storage::File* file_;
  std::uint64_t segment_bytes_;
  std::uint64_t begin_ = 0;  ///< of the piece, in the segment
  Buffer piece_;             ///< the last one read
};

}  // namespace dgfs::delta
