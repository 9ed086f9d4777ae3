// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/links.h"

#include "format/entry/mode.h"

namespace dgfs::tools {

std::string DiffLinks::first_path(const DiffEntry& entry, const std::string& path) {
  if (entry.link_count <= 1 || format::is_directory(entry.mode)) return path;
  const auto [there, is_new] =
      objects_.try_emplace({entry.device, entry.inode}, Object{path, entry.link_count});
  auto first = there->second.path;
  if (--there->second.unseen == 0) objects_.erase(there);
  return first;
}

}  // namespace dgfs::tools
