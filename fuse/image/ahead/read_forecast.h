// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadForecast: tells whether a file that is looked up is going to be read, from what became of
// those looked up before it.
#pragma once

#include <array>
#include <cstddef>

#include "format/entry/entry.h"

namespace dgfs::fuse {

/// Not thread-safe. Who opens and reads files is told from who asks for their attributes only: two
/// of three files must have been read, and a few that were not end it.
class ReadForecast {
 public:
  /// Told that a file which has contents was looked up.
  /// @return whether it is going to be read, as far as one can know
  [[nodiscard]] bool saw_lookup(format::InodeNumber inode);
  /// Told that a file is read from its begin.
  /// @return whether saw_lookup() said so
  bool saw_read(format::InodeNumber inode);

 private:
  /// As many files may be between their lookup and their read: one for each program at work.
  static constexpr std::size_t kLookupsMax = 32;
  struct Lookup {
    format::InodeNumber inode = 0;  ///< 0: none, or read since
    bool was_foretold = false;
  };

  std::array<Lookup, kLookupsMax> lookups_{};
  std::size_t next_ = 0;  ///< place of the oldest
  int trust_ = 0;
};

}  // namespace dgfs::fuse
