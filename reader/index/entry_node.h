// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes a Node from an entry alone.
#pragma once

#include "format/entry/entry.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Copies all fields of the entry, with times defaulted. The caller sets the numbers (inode,
/// ordinals), the place of the contents, the link count, and the size of a directory. Cost: a copy
/// of the target.
[[nodiscard]] inline Node node_of_entry(const format::Entry& entry) {
  Node node;
  node.mode = entry.mode;
  node.uid = entry.uid;
  node.gid = entry.gid;
  node.size_bytes = entry.size_bytes;
  node.rdev = entry.rdev;
  node.mtime = entry.mtime;
  node.ctime = entry.ctime.value_or(entry.mtime);
  node.atime = entry.atime.value_or(entry.mtime);
  node.stored_bytes = entry.stored_bytes;
  node.codec = entry.codec;
  node.fragment_offset = entry.fragment_offset;
  node.target = entry.target;
  node.long_target = entry.long_target;
  node.xattrs = entry.xattrs;
  node.sparse_map = entry.sparse_map;
  return node;
}

}  // namespace dgfs::reader
