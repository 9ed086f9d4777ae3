// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/directories.h"

#include "reader/image.h"

#include <algorithm>
#include <utility>

#include "reader/extract/metadata.h"
#include "reader/extract/paths.h"
#include "reader/placed_error.h"

namespace dgfs::reader {

// A directory's entry comes before those below it, so backwards is deepest first: nothing is
// made in a directory any more once its times are set.
void DirectoryFinisher::finish() {
  std::reverse(inodes_.begin(), inodes_.end());
  for (const auto inode : std::exchange(inodes_, {})) {
    if (log_.stopped()) return;
    const auto path = tree_.directory_path(inode);
    const auto status =
        path ? finish_directory(path.assume_value(), inode) : Status(path.assume_error());
    if (status) continue;
    static_cast<void>(log_.lose_attribute(
        path ? path.assume_value() : std::string(), {AttributeKind::kAll, "attributes"},
        prefixed("cannot restore attributes: ", status.assume_error())));
  }
}

Status DirectoryFinisher::finish_directory(const std::string& path, InodeNumber inode) {
  DGFS_TRY(node, tree_.directory_node(inode));
  // Whether the extraction has failed or not: what can be restored of a directory that is there is.
  const LoseAttribute lose = [&](const LostAttribute& attribute, const Error& error) -> Status {
    static_cast<void>(log_.lose_attribute(path, attribute, error));
    return ok();
  };
  if (path.empty()) return restore_metadata(image_, node, *root_, "", choice_, lose);
  DGFS_TRY(parent, stack_.open(parent_of(path)));
  return restore_metadata(image_, node, *parent, name_of(path), choice_, lose);
}

}  // namespace dgfs::reader
