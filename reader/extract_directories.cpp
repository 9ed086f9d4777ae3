// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract_directories.h"

#include <algorithm>
#include <utility>

#include "reader/extract_metadata.h"
#include "reader/extract_paths.h"

namespace dgfs::reader {

// A directory's entry comes before those below it, so backwards is deepest first: nothing is
// made in a directory any more once its times are set.
void DirectoryFinisher::finish() {
  std::reverse(inodes_.begin(), inodes_.end());
  for (const auto inode : std::exchange(inodes_, {})) {
    if (log_.stopped()) return;
    auto path = tree_.directory_path(inode);
    if (!path) {
      log_.settle("", std::move(path).assume_error());
      continue;
    }
    const auto status = finish_directory(path.assume_value(), inode);
    if (!status) log_.settle(path.assume_value(), status);
  }
}

Status DirectoryFinisher::finish_directory(const std::string& path, InodeNumber inode) {
  DGFS_TRY(node, tree_.directory_node(inode));
  if (path.empty()) return restore_metadata(image_, node, *root_, "", privileged_);
  DGFS_TRY(parent, stack_.open(parent_of(path)));
  return restore_metadata(image_, node, *parent, name_of(path), privileged_);
}

}  // namespace dgfs::reader
