// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MemoryTree: a directory with everything below it, in memory.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace dgfs::bench {

/// An object. Its number is its index in the tree, counted from 1, the root.
struct MemoryNode {
  std::uint64_t parent = 0;
  struct stat attributes {};
  std::string content;  ///< of a file; the target of a symlink
  std::vector<std::pair<std::string, std::uint64_t>> entries;  ///< of a directory, in listing order
  std::unordered_map<std::string_view, std::uint64_t> by_name;  ///< the same entries
};

/// Immutable once it is loaded, so any number of threads may use it.
class MemoryTree {
 public:
  /// Reads everything below the directory. Hard links become separate files. Errors: those of the
  /// system, with the path.
  [[nodiscard]] static Result<MemoryTree> load(const std::string& directory);

  /// @param number  number of an object of this tree
  [[nodiscard]] const MemoryNode& node(std::uint64_t number) const { return nodes_[number - 1]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  [[nodiscard]] Status load_object(const std::string& path, std::uint64_t parent);
  [[nodiscard]] Status load_directory(const std::string& path, std::uint64_t number);

  std::vector<MemoryNode> nodes_;
};

}  // namespace dgfs::bench
