// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ExtractTree: the tree that an extraction writes: the tree of an image, or its salvaged part.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "reader/extract/log.h"
#include "reader/extract/options.h"
#include "reader/node.h"

namespace dgfs::reader {

class Image;

/// Single use. walk() runs on one thread and must be called first.
class ExtractTree {
 public:
  /// Makes a directory on the way to a visited entry.
  /// @return whether the directory exists now. If not, the log has the failure already. walk() must
  ///         still visit the entries below, so that the log gets a failure for each of them
  using MakeParent = std::function<bool(const std::string& path, const Node& node)>;
  using Visit = std::function<void(const std::string& path, const Node& node)>;

  virtual ~ExtractTree() = default;
  ExtractTree() = default;
  ExtractTree(const ExtractTree&) = delete;
  ExtractTree& operator=(const ExtractTree&) = delete;

  /// Calls `visit` for each entry, for a directory before the entries below it, and `make_parent`
  /// for further directories that these need. Failures go to the log. Ends when the log says so.
  virtual void walk(ExtractLog& log, const MakeParent& make_parent, const Visit& visit) = 0;
  /// Path of a directory that walk() passed to `visit` or `make_parent`, by the inode number of its
  /// node.
  [[nodiscard]] virtual Result<std::string> directory_path(InodeNumber inode) const = 0;
  /// Node with the attributes of such a directory.
  [[nodiscard]] virtual Result<Node> directory_node(InodeNumber inode) const = 0;
};

/// extract() for any ExtractTree.
/// @param image  gives contents and side records of the nodes
[[nodiscard]] Result<ExtractReport> extract_tree(const Image& image, ExtractTree& tree,
                                                 storage::Env& env, const std::string& destination,
                                                 const ExtractOptions& options);

}  // namespace dgfs::reader
