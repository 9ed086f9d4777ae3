// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/removal.h"

#include <utility>

#include "delta/view/directory_walk.h"
#include "format/entry/mode.h"

namespace dgfs::update {

Result<bool> Removal::remove(view::ObjectNumber directory, std::string_view name,
                             view::ObjectNumber object, std::uint32_t type,
                             const std::string& path) {
  if (stays(path, format::is_directory(type))) return false;
  if (!format::is_directory(type)) {
    DGFS_CHECK(changes_.unlink(directory, name));
    ++removed_;
    return true;
  }
  std::string below = path;
  std::vector<Level> levels;
  levels.push_back({object, std::string(name), {}, path.size(), false});
  bool is_kept = false;
  while (!levels.empty()) {
    const auto depth = levels.size();
    DGFS_CHECK(remove_names(levels, below));
    if (levels.size() > depth) continue;
    const Level done = std::move(levels.back());
    levels.pop_back();
    const auto above = levels.empty() ? directory : levels.back().directory;
    bool& is_above_kept = levels.empty() ? is_kept : levels.back().is_kept;
    if (done.is_kept) {
      is_above_kept = true;
      continue;
    }
    DGFS_CHECK(changes_.remove_directory(above, done.name));
    ++removed_;
  }
  return !is_kept;
}

// Up to the next subdirectory, which becomes a level, or to the end.
Status Removal::remove_names(std::vector<Level>& levels, std::string& path) {
  Level& level = levels.back();
  DGFS_TRY(walk, view::DirectoryWalk::make(former_.moment(), level.directory));
  for (auto moved = walk.seek_behind(level.last);; moved = walk.next()) {
    DGFS_CHECK(std::move(moved));
    if (!walk.is_at_name()) return ok();
    DGFS_CHECK(source_.stop().check());
    level.last = walk.name();
    path.resize(level.path_bytes);
    path.append("/").append(walk.name());
    const bool is_directory = format::is_directory(walk.dentry().type);
    if (stays(path, is_directory)) {
      level.is_kept = true;
      continue;
    }
    if (is_directory) {
      const auto name = level.last;
      levels.push_back({walk.dentry().object, name, {}, path.size(), false});
      return ok();
    }
    DGFS_CHECK(changes_.unlink(level.directory, walk.name()));
    ++removed_;
  }
}

}  // namespace dgfs::update
