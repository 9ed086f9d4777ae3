// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DirectoryFinisher: sets the attributes of extracted directories, after all entries in them are
// made.
#pragma once

#include <string>
#include <vector>

#include "reader/extract/directory_stack.h"
#include "reader/extract/log.h"
#include "reader/extract/tree.h"
#include "reader/node.h"

namespace dgfs::reader {

class Image;

/// Memory: 8 bytes a directory. For one thread. References must outlive it.
class DirectoryFinisher {
 public:
  DirectoryFinisher(const Image& image, const ExtractTree& tree, DirectoryPointer root,
                    const RestoreChoice& choice, ExtractLog& log)
      : image_(image),
        tree_(tree),
        root_(std::move(root)),
        stack_(root_),
        choice_(choice),
        log_(log) {}

  /// Notes a directory that was made or entered. Must be called for a directory before those below
  /// it.
  void add(InodeNumber inode) { inodes_.push_back(inode); }
  /// Sets the attributes of all directories, deepest first. If an attribute fails, the others are
  /// still set. Failures go to the log.
  void finish();

 private:
  [[nodiscard]] Status finish_directory(const std::string& path, InodeNumber inode);

  const Image& image_;
  const ExtractTree& tree_;
  DirectoryPointer root_;
  DirectoryStack stack_;
  const RestoreChoice& choice_;
  ExtractLog& log_;
  std::vector<InodeNumber> inodes_;
};

}  // namespace dgfs::reader
