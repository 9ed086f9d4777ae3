// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MemoryTree: a directory with all that is below it, in memory.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace dgfs::bench {

/// An object. Its number is its place in the tree, counted from 1, which is the root.
struct MemoryNode {
  std::uint64_t parent = 0;
  struct stat attributes {};
  std::string content;  ///< of a file; the target of a symlink
  std::vector<std::pair<std::string, std::uint64_t>> entries;   ///< of a directory, in its order
  std::unordered_map<std::string_view, std::uint64_t> by_name;  ///< of the same
};

/// Does not change once it is loaded: any number of threads may ask.
class MemoryTree {
 public:
  /// Reads all of it. Hard links become files of their own. Errors: those of the system, with the
  /// path.
  [[nodiscard]] static Result<MemoryTree> load(const std::string& directory);

  /// @param number  of an object, as the tree has told it
  [[nodiscard]] const MemoryNode& node(std::uint64_t number) const { return nodes_[number - 1]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  [[nodiscard]] Status load_object(const std::string& path, std::uint64_t parent);
  [[nodiscard]] Status load_directory(const std::string& path, std::uint64_t number);

  std::vector<MemoryNode> nodes_;
};

}  // namespace dgfs::bench
