// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/memory_tree/memory_tree.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "storage/posix/os_error.h"

namespace dgfs::bench {
namespace {

Result<std::string> read_whole(const std::string& path, std::uint64_t size_bytes) {
  std::string content(size_bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(content.data(), static_cast<std::streamsize>(size_bytes)) && size_bytes > 0) {
    return storage::os_error(9050, EIO, "read", path);
  }
  return content;
}

}  // namespace

Result<MemoryTree> MemoryTree::load(const std::string& directory) {
  MemoryTree tree;
  DGFS_CHECK(tree.load_object(directory, 1));
  // The names do not move any more, so that views of them stay valid.
  for (MemoryNode& node : tree.nodes_) {
    for (const auto& [name, number] : node.entries) node.by_name.emplace(name, number);
  }
  return tree;
}

Status MemoryTree::load_object(const std::string& path, std::uint64_t parent) {
  MemoryNode node;
  node.parent = parent;
  if (::lstat(path.c_str(), &node.attributes) != 0) {
    return storage::os_error(9051, errno, "read attributes of", path);
  }
  const auto size_bytes = static_cast<std::uint64_t>(node.attributes.st_size);
  if (S_ISREG(node.attributes.st_mode)) {
    DGFS_TRY(content, read_whole(path, size_bytes));
    node.content = std::move(content);
  }
  std::error_code failure;
  if (S_ISLNK(node.attributes.st_mode)) {
    node.content = std::filesystem::read_symlink(path, failure).string();
  }
  nodes_.push_back(std::move(node));
  const auto number = nodes_.size();
  nodes_.back().attributes.st_ino = number;
  return S_ISDIR(nodes_.back().attributes.st_mode) ? load_directory(path, number) : ok();
}

Status MemoryTree::load_directory(const std::string& path, std::uint64_t number) {
  std::error_code failure;
  std::vector<std::string> names;
  for (const auto& found : std::filesystem::directory_iterator(path, failure)) {
    names.push_back(found.path().filename().string());
  }
  if (failure) return storage::os_error(9052, failure.value(), "list", path);
  std::sort(names.begin(), names.end());
  for (auto& name : names) {
    const auto child = nodes_.size() + 1;
    DGFS_CHECK(load_object(path + '/' + name, number));
    nodes_[number - 1].entries.emplace_back(std::move(name), child);
  }
  return ok();
}

}  // namespace dgfs::bench
