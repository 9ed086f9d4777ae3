// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SourceTree: the directory below, as objects that the kernel can be told about.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "storage/posix/unique_fd.h"

namespace dgfs::bench {

/// An object below, with the name that it was first found under, or its latest new name. Its
/// address is its number for the kernel. A directory keeps a descriptor once something in it was
/// requested; a file has none until it is opened, so that a walk opens only directories.
struct Node {
  Node* parent = nullptr;  ///< null: the root
  std::string name;
  std::atomic<int> directory_fd{-1};

  Node(Node* in, std::string called) : parent(in), name(std::move(called)) {}
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
};

/// Thread-safe. Nodes live as long as the tree and are never forgotten. Calls that return an int
/// return -1 and set errno if they fail.
class SourceTree {
 public:
  /// @param root_fd  a directory; everything below must be on the same file system
  explicit SourceTree(storage::UniqueFd root_fd);

  [[nodiscard]] Node& root() { return *root_; }
  /// Descriptor for lookups in the directory; the node owns it.
  [[nodiscard]] int directory_fd(Node& directory);
  [[nodiscard]] int status(Node& node, struct stat& out);
  [[nodiscard]] int open(Node& node, int flags);
  /// The object with this name in `directory` and the attributes `status`.
  [[nodiscard]] Node& node_of(Node& directory, const char* name, const struct stat& status);
  /// The same for an object that was just made: it may have the number of a removed one.
  [[nodiscard]] Node& made(Node& directory, const char* name, const struct stat& status);
  /// Notes that an object has a new name.
  void moved(Node& directory, const char* name, const struct stat& status);

 private:
  // Call with mutex_ held.
  [[nodiscard]] int fd_of(Node& directory);
  [[nodiscard]] int open_named(Node& node, int flags);

  std::unique_ptr<Node> root_;
  std::shared_mutex mutex_;  // guards nodes_, and the names and parents of nodes
  std::unordered_map<ino_t, std::unique_ptr<Node>> nodes_;
};

}  // namespace dgfs::bench
