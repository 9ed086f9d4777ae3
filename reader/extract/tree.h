// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ExtractTree: what an extraction writes: the tree of an image, or what could be saved of one.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "reader/extract/log.h"
#include "reader/extract/options.h"
#include "reader/node.h"

namespace dgfs::reader {

class Image;

/// Single use. walk() runs on one thread, before anything else is asked.
class ExtractTree {
 public:
  /// @return whether the directory is there now. Where not, that is told to the log already, and
  /// what is below is to be visited all the same, so that it is told, too.
  using MakeParent = std::function<bool(const std::string& path, const Node& node)>;
  using Visit = std::function<void(const std::string& path, const Node& node)>;

  virtual ~ExtractTree() = default;
  ExtractTree() = default;
  ExtractTree(const ExtractTree&) = delete;
  ExtractTree& operator=(const ExtractTree&) = delete;

  /// Calls `visit` for each entry, a directory before what is below it, and `make_parent` for
  /// directories that are needed on the way. Failures go to the log; ends when the log says so.
  virtual void walk(ExtractLog& log, const MakeParent& make_parent, const Visit& visit) = 0;
  /// The path of a directory that was visited or made, by the inode number that it came with.
  [[nodiscard]] virtual Result<std::string> directory_path(InodeNumber inode) const = 0;
  /// Likewise, its attributes.
  [[nodiscard]] virtual Result<Node> directory_node(InodeNumber inode) const = 0;
};

/// extract() of such a tree.
/// @param image  gives contents and side records of the nodes
[[nodiscard]] Result<ExtractReport> extract_tree(const Image& image, ExtractTree& tree,
                                                 storage::Env& env, const std::string& destination,
                                                 const ExtractOptions& options);

}  // namespace dgfs::reader
