// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How a MemoryTree finds what a path stands for.
#include <algorithm>
#include <vector>

#include "storage/env.h"
#include "storage/memory/tree.h"
#include "storage/names.h"

namespace dgfs::storage {
namespace {

constexpr int kLinksMax = 40;  // as Linux

// Puts the components of `path` on top of `todo`, the first one topmost.
void push_components(std::string_view path, std::vector<std::string>& todo) {
  const auto old_size = static_cast<std::ptrdiff_t>(todo.size());
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    if (slash > 0 && path.substr(0, slash) != ".") todo.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  std::reverse(todo.begin() + old_size, todo.end());
}

}  // namespace

Result<MemoryInodePtr> MemoryTree::find(const MemoryInode& directory, std::string_view name,
                                        const std::string& path) const {
  const auto entry = directory.entries.find(name);
  if (entry != directory.entries.end()) return entry->second;
  return Error(ErrorKind::kNotFound, 1100, "no such file or directory").in_file(path);
}

Result<MemoryInodePtr> MemoryTree::resolve(std::string_view path) const {
  std::vector<std::string> todo;
  push_components(path, todo);
  std::vector<MemoryInodePtr> way{root_};  // for ".."
  for (int links = 0; !todo.empty();) {
    const std::string name = std::move(todo.back());
    todo.pop_back();
    if (!way.back()->is_directory()) {
      return Error(ErrorKind::kNotDirectory, 1101, "a part is no directory").in_file(path);
    }
    if (name == "..") {
      if (way.size() > 1) way.pop_back();
      continue;
    }
    DGFS_TRY(inode, find(*way.back(), name, std::string(path)));
    if (!inode->is_link()) {
      way.push_back(inode);
      continue;
    }
    if (++links > kLinksMax) {
      return Error(ErrorKind::kLoop, 1102, "too many symbolic links").in_file(path);
    }
    if (inode->link_target.starts_with('/')) way.assign(1, root_);
    push_components(inode->link_target, todo);
  }
  return way.back();
}

Result<std::pair<MemoryInodePtr, std::string>> MemoryTree::resolve_parent(
    std::string_view path) const {
  std::string name = base_name(path);
  DGFS_CHECK(check_name(name, parent_path(path)));
  DGFS_TRY(parent, resolve(parent_path(path)));
  if (parent->is_directory()) return std::pair(parent, std::move(name));
  return Error(ErrorKind::kNotDirectory, 1113, "the parent is no directory").in_file(path);
}

}  // namespace dgfs::storage
