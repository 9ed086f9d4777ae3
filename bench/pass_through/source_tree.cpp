// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/pass_through/source_tree.h"

#include <fcntl.h>
#include <unistd.h>

namespace dgfs::bench {
namespace {

constexpr std::size_t kNodesExpected = std::size_t{1} << 17;

}  // namespace

Node::~Node() {
  if (directory_fd >= 0) ::close(directory_fd);
}

SourceTree::SourceTree(storage::UniqueFd root_fd)
    : root_(std::make_unique<Node>(nullptr, std::string())) {
  root_->directory_fd = root_fd.release();
  nodes_.reserve(kNodesExpected);
}

int SourceTree::directory_fd(Node& directory) {
  const int known = directory.directory_fd.load(std::memory_order_acquire);
  if (known >= 0) return known;
  const std::shared_lock lock(mutex_);
  return fd_of(directory);
}

int SourceTree::fd_of(Node& directory) {
  int known = directory.directory_fd.load(std::memory_order_acquire);
  if (known >= 0) return known;
  const int opened = open_named(directory, O_PATH | O_DIRECTORY);
  if (opened < 0) return -1;
  if (directory.directory_fd.compare_exchange_strong(known, opened)) return opened;
  ::close(opened);  // another thread was faster
  return known;
}

int SourceTree::status(Node& node, struct stat& out) {
  if (node.parent == nullptr) return ::fstat(node.directory_fd, &out);
  const std::shared_lock lock(mutex_);
  const int parent_fd = fd_of(*node.parent);
  if (parent_fd < 0) return -1;
  return ::fstatat(parent_fd, node.name.c_str(), &out, AT_SYMLINK_NOFOLLOW);
}

int SourceTree::open(Node& node, int flags) {
  const std::shared_lock lock(mutex_);
  return open_named(node, flags);
}

int SourceTree::open_named(Node& node, int flags) {
  const int parent_fd = node.parent == nullptr ? node.directory_fd.load() : fd_of(*node.parent);
  if (parent_fd < 0) return -1;
  const char* name = node.parent == nullptr ? "." : node.name.c_str();
  return ::openat(parent_fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
}

Node& SourceTree::node_of(Node& directory, const char* name, const struct stat& status) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = nodes_.find(status.st_ino);
    if (found != nodes_.end()) return *found->second;
  }
  const std::unique_lock lock(mutex_);
  auto& node = nodes_[status.st_ino];
  if (!node) node = std::make_unique<Node>(&directory, name);
  return *node;
}

Node& SourceTree::made(Node& directory, const char* name, const struct stat& status) {
  const std::unique_lock lock(mutex_);
  auto& node = nodes_[status.st_ino];
  if (!node) return *(node = std::make_unique<Node>(&directory, name));
  node->parent = &directory;
  node->name = name;
  const int before = node->directory_fd.exchange(-1);
  if (before >= 0) ::close(before);
  return *node;
}

void SourceTree::moved(Node& directory, const char* name, const struct stat& status) {
  const std::unique_lock lock(mutex_);
  const auto found = nodes_.find(status.st_ino);
  if (found == nodes_.end()) return;
  found->second->parent = &directory;
  found->second->name = name;
}

}  // namespace dgfs::bench
