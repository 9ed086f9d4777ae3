// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sequences: finds out which files are read in order, and what of them will be read next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "delta/view/object.h"

namespace dgfs::view {

/// Thread-safe. It remembers some sequences; those that went on longest ago make room.
class Sequences {
 public:
  /// That is announced ahead of a sequence, at most.
  static constexpr std::uint64_t kAheadBytes = std::uint64_t{1} << 20;

  /// Bytes that are to be announced. A value.
  struct Range {
    std::uint64_t begin_bytes = 0;
    std::uint64_t end_bytes = 0;

    [[nodiscard]] bool empty() const { return begin_bytes >= end_bytes; }
    friend bool operator==(const Range&, const Range&) = default;
  };

  /// A read. Returns what is to be announced before it is done: nothing of a first read; then what
  /// is next, in large pieces.
  /// @param length_bytes  above 0
  [[nodiscard]] Range note(ObjectNumber object, std::uint64_t offset_bytes,
                           std::uint64_t length_bytes);

 private:
  struct Sequence {
    ObjectNumber object = 0;
    std::uint64_t next_bytes = 0;   ///< where its next read begins
    std::uint64_t ahead_bytes = 0;  ///< behind what was announced
    std::uint64_t used = 0;         ///< when it went on last; 0: there is none
  };
  static constexpr std::size_t kSequences = 32;

  std::mutex mutex_;  ///< innermost; all that follows
  std::array<Sequence, kSequences> sequences_{};
  std::uint64_t now_ = 0;
};

}  // namespace dgfs::view
