// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A directory cursor opens the directories of a tree one after another, by prefixes of path keys,
// through the handles of their parents. The kernel never resolves a path, so trees deeper than
// PATH_MAX work, and another process cannot redirect the build by replacing a directory with a
// link.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/directory.h"

namespace dgfs::builder {

/// Not thread-safe; each thread has its own.
class DirectoryCursor {
 public:
  /// @param root       must outlive the cursor
  /// @param kept_open  bound of open handles: those of the deepest levels of the current path
  DirectoryCursor(const storage::Directory& root, std::size_t kept_open)
      : root_(root), kept_open_(kept_open) {}

  /// The directory with this prefix ("a 00 b 00"; empty: root); valid until the next call. Moving
  /// to a child or sibling costs one open. Errors: those of Directory::open_directory().
  [[nodiscard]] Result<const storage::Directory*> enter(std::string_view prefix);

 private:
  struct Level {
    std::size_t end;                             ///< end of the level's prefix in path_
    std::unique_ptr<storage::Directory> handle;  ///< null if it was closed for deeper levels
  };

  [[nodiscard]] std::size_t common_levels(std::string_view prefix) const;

  const storage::Directory& root_;
  std::size_t kept_open_;
  std::string path_;
  std::vector<Level> levels_;
};

}  // namespace dgfs::builder
