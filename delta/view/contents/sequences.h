// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sequences: detects files that are read in order, and predicts what will be read next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "delta/view/object.h"

namespace dgfs::view {

/// Thread-safe. It remembers some sequences; the one that has not gone on for longest is dropped
/// first.
class Sequences {
 public:
  /// The most that is announced ahead of a sequence.
  static constexpr std::uint64_t kAheadBytes = std::uint64_t{1} << 20;

  /// Bytes to announce. A value.
  struct Range {
    std::uint64_t begin_bytes = 0;
    std::uint64_t end_bytes = 0;
    bool goes_on = false;  ///< the read continues a sequence, whether or not there are such bytes

    [[nodiscard]] bool empty() const { return begin_bytes >= end_bytes; }
    friend bool operator==(const Range&, const Range&) = default;
  };

  /// Notes a read. Returns the range to announce before that read is done: empty for a first read;
  /// later the next bytes, in large pieces.
  /// @param length_bytes  above 0
  [[nodiscard]] Range note(ObjectNumber object, std::uint64_t offset_bytes,
                           std::uint64_t length_bytes);

 private:
  struct Sequence {
    ObjectNumber object = 0;
    std::uint64_t next_bytes = 0;   ///< start of the next read
    std::uint64_t ahead_bytes = 0;  ///< end of what was announced
    std::uint64_t used = 0;         ///< when it last went on; 0: free
  };
  static constexpr std::size_t kSequences = 32;

  std::mutex mutex_;  ///< innermost; guards all that follows
  std::array<Sequence, kSequences> sequences_{};
  std::uint64_t now_ = 0;
};

}  // namespace dgfs::view
