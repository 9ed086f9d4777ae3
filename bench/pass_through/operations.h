// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Answers requests of the kernel with the corresponding system calls.
#pragma once

#include <fuse_lowlevel.h>

#include "bench/fuse_server.h"
#include "bench/pass_through/source_tree.h"

namespace dgfs::bench {

/// The user data of the session.
struct PassThrough {
  SourceTree tree;
  bool changes = false;  ///< the directory below can be changed
};

inline PassThrough& server_of(fuse_req_t request) {
  return *static_cast<PassThrough*>(fuse_req_userdata(request));
}

inline Node& node_of(fuse_req_t request, fuse_ino_t inode) {
  if (inode == FUSE_ROOT_ID) return server_of(request).tree.root();
  return *reinterpret_cast<Node*>(inode);
}

/// A reply with attributes, and with the node as its number.
inline fuse_entry_param entry_of(Node& node, const struct stat& attributes) {
  fuse_entry_param entry{};
  entry.ino = reinterpret_cast<fuse_ino_t>(&node);
  entry.attr = attributes;
  entry.attr_timeout = kForeverSeconds;
  entry.entry_timeout = kForeverSeconds;
  return entry;
}

/// All operations of a read-only mount.
[[nodiscard]] fuse_lowlevel_ops make_pass_through_operations();
/// The further operations of a mount that can be changed.
void add_changes(fuse_lowlevel_ops& operations);
/// Extended attributes: reads and changes them.
void add_xattrs(fuse_lowlevel_ops& operations);

}  // namespace dgfs::bench
