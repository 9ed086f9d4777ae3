// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadForecast: predicts whether a file that is looked up will be read, from what happened to the
// files looked up before.
#pragma once

#include <array>
#include <cstddef>

#include "format/entry/entry.h"

namespace dgfs::fuse {

/// Not thread-safe. Distinguishes programs that read files from programs that only request
/// attributes: predicts reads after two of three files were read, and stops after a few that were
/// not.
class ReadForecast {
 public:
  /// Notes a lookup of a file with contents.
  /// @return whether it will probably be read
  [[nodiscard]] bool saw_lookup(format::InodeNumber inode);
  /// Notes that a file is read from its beginning.
  /// @return whether saw_lookup() predicted it
  bool saw_read(format::InodeNumber inode);

 private:
  /// How many files can be between lookup and read: one for each running program.
  static constexpr std::size_t kLookupsMax = 32;
  struct Lookup {
    format::InodeNumber inode = 0;  ///< 0: unused, or already read
    bool was_foretold = false;
  };

  std::array<Lookup, kLookupsMax> lookups_{};
  std::size_t next_ = 0;  ///< index of the oldest
  int trust_ = 0;
};

}  // namespace dgfs::fuse
