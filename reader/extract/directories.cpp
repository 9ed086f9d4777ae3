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

// A directory is added before those below it, so the reverse order is deepest first. Entries of a
// directory are thus finished before its times are set.
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
  // Returns ok() even if the extraction has failed, so that each existing directory gets all
  // attributes that can be set.
  const LoseAttribute lose = [&](const LostAttribute& attribute, const Error& error) -> Status {
    static_cast<void>(log_.lose_attribute(path, attribute, error));
    return ok();
  };
  if (path.empty()) return restore_metadata(image_, node, *root_, "", choice_, lose);
  DGFS_TRY(parent, stack_.open(parent_of(path)));
  return restore_metadata(image_, node, *parent, name_of(path), choice_, lose);
}

}  // namespace dgfs::reader
