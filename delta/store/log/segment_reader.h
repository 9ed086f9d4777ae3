// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SegmentReader: reads a segment of the log from its begin to its end, in large pieces where there
// is something to read.
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
    kNothing,  ///< it may be that nothing follows
    kPiece,    ///< a mebibyte, as far as the segment goes
  };

  /// @param file           of the segment; must outlive it
  /// @param segment_bytes  its length
  SegmentReader(const storage::File& file, std::uint64_t segment_bytes)
      : file_(&file), segment_bytes_(segment_bytes) {}

  /// Bytes of the segment, as they were when they were read first; good until the next call.
  /// @param offset_bytes  with `count`, within the segment
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
  Buffer piece_;             ///< that was read last
};

}  // namespace dgfs::delta
