// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Chunks: how the bytes of a file are cut into records. Chunk n begins at n times the chunk length,
// which is the same for all files of a delta.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace dgfs::view {

/// A stretch of a file that lies in one chunk. A value.
struct ChunkPart {
  std::uint64_t chunk = 0;         ///< its number
  std::uint64_t begin_bytes = 0;   ///< within the chunk
  std::uint64_t length_bytes = 0;  ///< above 0
  std::uint64_t skip_bytes = 0;    ///< its start in the range that was cut
};

/// A value.
class Chunks {
 public:
  /// @param chunk_bytes  a power of two
  explicit Chunks(std::uint64_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

  [[nodiscard]] std::uint64_t chunk_bytes() const { return chunk_bytes_; }
  /// The chunk of a byte.
  [[nodiscard]] std::uint64_t number(std::uint64_t offset_bytes) const {
    return offset_bytes / chunk_bytes_;
  }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t chunk) const { return chunk * chunk_bytes_; }
  /// The number of chunks for so many bytes.
  [[nodiscard]] std::uint64_t count(std::uint64_t bytes) const {
    return bytes / chunk_bytes_ + (bytes % chunk_bytes_ != 0 ? 1 : 0);
  }
  [[nodiscard]] bool is_whole(const ChunkPart& part) const {
    return part.length_bytes == chunk_bytes_;
  }

  using Parts = boost::container::small_vector<ChunkPart, 17>;
  /// The chunks of a range, in order.
  /// @param offset_bytes, length_bytes  their sum does not overflow
  [[nodiscard]] Parts parts(std::uint64_t offset_bytes, std::uint64_t length_bytes) const {
    Parts parts;
    for (std::uint64_t done = 0; done < length_bytes; done += parts.back().length_bytes) {
      const auto at = offset_bytes + done;
      const auto begin = at % chunk_bytes_;
      parts.push_back(
          {number(at), begin, std::min(chunk_bytes_ - begin, length_bytes - done), done});
    }
    return parts;
  }

 private:
  std::uint64_t chunk_bytes_;
};

}  // namespace dgfs::view
