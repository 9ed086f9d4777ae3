// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FileSequences: tells from the listings and reads that arrive whether somebody reads files in the
// order of their directories, as tar, cp and grep do, and which he will want next.
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

/// Not thread-safe. Remembers the directories listed last, for a walk leaves one for those in it
/// and comes back. Only what was listed is known to the kernel, and can be brought to it.
class FileSequences {
 public:
  /// Told that these numbers, those of the names of one directory or of a part of it, were listed.
  void listed(const InodeRange& names);
  /// Told that a file is read from its begin.
  /// @return numbers of the files to bring now, if there are reasons to; brought() must follow
  [[nodiscard]] std::optional<InodeRange> read(format::InodeNumber inode);
  /// Told which numbers of the range that read() gave were brought.
  void brought(const InodeRange& files);

 private:
  static constexpr std::size_t kListingsMax = 64;
  struct Listing {
    InodeRange names;
    format::InodeNumber next = 0;  ///< none below was read or brought
    std::uint64_t window = 0;      ///< how many to bring next
    std::uint64_t used = 0;        ///< when last; 0: never
  };
  [[nodiscard]] Listing* find(format::InodeNumber inode);
  void judge(bool is_in_order);

  std::array<Listing, kListingsMax> listings_{};
  std::uint64_t now_ = 0;
  int trust_ = 0;  ///< that files are being read in order
};

}  // namespace dgfs::fuse
