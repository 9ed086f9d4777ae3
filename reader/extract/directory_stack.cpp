// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/directory_stack.h"

#include <algorithm>

namespace dgfs::reader {

std::vector<std::string_view> components_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    names.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

std::size_t DirectoryStack::shared_levels(const std::vector<std::string_view>& names) const {
  std::size_t level = 0;
  while (level < levels_.size() && level < names.size() && levels_[level].name == names[level]) {
    ++level;
  }
  return level;
}

// Opens the levels from the last open one down to `level`, and keeps only `level` open.
Status DirectoryStack::reopen(std::size_t level) {
  auto open_level = level;
  while (open_level > 0 && !levels_[open_level - 1].directory) --open_level;
  auto directory = open_level == 0 ? root_ : levels_[open_level - 1].directory;
  for (; open_level < level; ++open_level) {
    DGFS_TRY(next, directory->open_directory(levels_[open_level].name));
    directory = std::move(next);
  }
  if (level > 0) levels_[level - 1].directory = std::move(directory);
  return ok();
}

Result<DirectoryPointer> DirectoryStack::open(std::string_view path) {
  const auto names = components_of(path);
  levels_.resize(shared_levels(names));
  DGFS_CHECK(reopen(levels_.size()));
  while (levels_.size() < names.size()) {
    auto& parent = levels_.empty() ? root_ : levels_.back().directory;
    DGFS_TRY(next, parent->open_directory(names[levels_.size()]));
    levels_.push_back({std::string(names[levels_.size()]), std::move(next)});
    if (levels_.size() > kHandlesMax) levels_[levels_.size() - kHandlesMax - 1].directory.reset();
  }
  return levels_.empty() ? root_ : levels_.back().directory;
}

}  // namespace dgfs::reader
