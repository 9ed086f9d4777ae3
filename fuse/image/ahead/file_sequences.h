// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FileSequences: detects from listings and reads whether programs read files in the order of their
// directories, as tar, cp and grep do, and which files they will read next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "format/entry/entry.h"

namespace dgfs::fuse {

/// Inode numbers [begin, end).
struct InodeRange {
  format::InodeNumber begin = 0;
  format::InodeNumber end = 0;
};

/// Not thread-safe. Remembers several directories, because a walk leaves a directory for its
/// subdirectories and comes back. Only listed files can be prefetched: the kernel knows no others.
class FileSequences {
 public:
  /// Notes a listing: the numbers of the names of one directory, or of a part of it.
  void listed(const InodeRange& names);
  /// Notes that a program reads a file from its beginning.
  /// @return numbers of the files to prefetch now; nullopt: none. The caller then calls brought()
  [[nodiscard]] std::optional<InodeRange> read(format::InodeNumber inode);
  /// Notes which numbers of the range from read() were prefetched.
  void brought(const InodeRange& files);

 private:
  static constexpr std::size_t kListingsMax = 64;
  struct Listing {
    InodeRange names;
    format::InodeNumber next = 0;  ///< first number not yet read or prefetched
    std::uint64_t window = 0;      ///< how many to prefetch next
    std::uint64_t used = 0;        ///< time of the last use; 0: never
  };
  [[nodiscard]] Listing* find(format::InodeNumber inode);
  void judge(bool is_in_order);

  std::array<Listing, kListingsMax> listings_{};
  std::uint64_t now_ = 0;
  int trust_ = 0;  ///< how surely files are being read in order
};

}  // namespace dgfs::fuse
