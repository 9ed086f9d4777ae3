// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SourceTree: the directory that is passed through, as objects the kernel can be told of.
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

/// An object below, by the name that it was met under, or that it was given last. Its address is
/// what the kernel calls it by. A directory keeps a descriptor once something in it was asked for;
/// a file has none until it is opened, so that a walk opens directories only.
struct Node {
  Node* parent = nullptr;  ///< none: the root
  std::string name;
  std::atomic<int> directory_fd{-1};

  Node(Node* in, std::string called) : parent(in), name(std::move(called)) {}
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
};

/// Thread-safe. Nodes live as long as the tree: what was met is never forgotten. All calls that
/// give an int give -1 and set errno where they fail.
class SourceTree {
 public:
  /// @param root_fd  of a directory; everything below is on its file system
  explicit SourceTree(storage::UniqueFd root_fd);

  [[nodiscard]] Node& root() { return *root_; }
  /// Where names in it are looked up; belongs to the node.
  [[nodiscard]] int directory_fd(Node& directory);
  [[nodiscard]] int status(Node& node, struct stat& out);
  [[nodiscard]] int open(Node& node, int flags);
  /// The object that a name in `directory` stands for, whose attributes are `status`.
  [[nodiscard]] Node& node_of(Node& directory, const char* name, const struct stat& status);
  /// The same of an object that was just made: its number may have been that of one which is gone.
  [[nodiscard]] Node& made(Node& directory, const char* name, const struct stat& status);
  /// An object has another name.
  void moved(Node& directory, const char* name, const struct stat& status);

 private:
  // With mutex_.
  [[nodiscard]] int fd_of(Node& directory);
  [[nodiscard]] int open_named(Node& node, int flags);

  std::unique_ptr<Node> root_;
  std::shared_mutex mutex_;  // of nodes, and of their names and parents
  std::unordered_map<ino_t, std::unique_ptr<Node>> nodes_;
};

}  // namespace dgfs::bench
