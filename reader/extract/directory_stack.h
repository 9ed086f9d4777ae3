// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DirectoryStack: keeps the directories along one path of a destination open, so that a walk in key
// order opens each directory once. Goes down one component at a time and never follows a symlink.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/directory.h"

namespace dgfs::reader {

using DirectoryPointer = std::shared_ptr<storage::Directory>;

/// For one thread. Keeps at most kHandlesMax directories open, for a path of any depth.
class DirectoryStack {
 public:
  explicit DirectoryStack(DirectoryPointer root) : root_(std::move(root)) {}

  /// The directory at `path` (components separated by single '/', "" is the root), which must
  /// exist. Errors: those of open_directory().
  [[nodiscard]] Result<DirectoryPointer> open(std::string_view path);

 private:
  static constexpr std::size_t kHandlesMax = 128;
  struct Level {
    std::string name;
    DirectoryPointer directory;  ///< null if it was closed to save handles
  };
  [[nodiscard]] std::size_t shared_levels(const std::vector<std::string_view>& names) const;
  [[nodiscard]] Status reopen(std::size_t level);

  DirectoryPointer root_;
  std::vector<Level> levels_;
};

/// Splits "a/b/c" into its components; "" has none.
[[nodiscard]] std::vector<std::string_view> components_of(std::string_view path);

}  // namespace dgfs::reader
