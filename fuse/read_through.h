// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadThrough: counts which pieces of an image were read through a mount. The kernel keeps their
// contents for the mount, so the page cache of the image below need not hold the same bytes.
#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "reader/node.h"

namespace dgfs::fuse {

/// Thread-safe. Cost of a call: a lock and a search of 64 entries; it allocates nothing. A byte
/// that is read twice counts twice.
class ReadThrough {
 public:
  /// Length of a piece; its offset is a multiple of it. The kernel caches a file in runs of pages
  /// (folios) of up to 2 MiB, aligned to their length, and drops only whole ones. So a piece is cut
  /// from the image and not from its files, which are as short as they are.
  static constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;
  /// A piece counts as read through from here on: gaps between files, and files that few programs
  /// read, must not keep it.
  static constexpr std::uint64_t kEnoughBytes = kPieceBytes / 8 * 7;

  /// The most pieces that return at once; further ones stay in the page cache. A read of 1 MiB
  /// touches two at most.
  static constexpr std::size_t kDueMax = 8;
  /// Pieces that the image may give back. A value.
  using Due = boost::container::static_vector<reader::StoredRange, kDueMax>;

  /// Notes that these bytes of a volume were read for the mount.
  /// @return pieces that were read through, and that the image may give back now; mostly none. A
  ///         piece returns only when another one was read through: the kernel cannot drop pages
  ///         that a processor has just read
  [[nodiscard]] Due saw_read(const reader::StoredRange& read) noexcept;
  /// The same for bytes [begin, end) of a file. Compressed files and files with holes do not count.
  [[nodiscard]] Due saw_read(const reader::Node& file, std::uint64_t begin,
                             std::uint64_t end) noexcept;

 private:
  static constexpr std::size_t kUnderWayMax = 64;
  struct UnderWay {
    format::VolumeNumber volume = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t used = 0;  ///< time of the last use; 0: never
  };
  /// The entry of a piece; a new one takes the place of the one that was not used for the longest.
  UnderWay& find(format::VolumeNumber volume, std::uint64_t offset_bytes) noexcept;
  /// Lets a piece wait that was read through; returns the one that waited before, if it is another.
  std::optional<reader::StoredRange> wait(const reader::StoredRange& piece) noexcept;

  std::mutex mutex_;  // guards all below
  std::array<UnderWay, kUnderWayMax> under_way_{};
  std::uint64_t now_ = 0;
  std::optional<reader::StoredRange> waiting_;  // the last piece that was read through
};

}  // namespace dgfs::fuse
