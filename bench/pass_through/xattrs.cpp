// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extended attributes of the directory below. Only with --xattrs: a kernel that may ask for them
// requests "security.capability" before each write.
#include <sys/xattr.h>

#include <cerrno>
#include <string>
#include <vector>

#include "bench/pass_through/operations.h"

namespace dgfs::bench {
namespace {

// Calls `call` with a path of the object that needs no walk, and replies with an error if it
// returns one.
template <class Call, class Reply>
void with_path(fuse_req_t request, fuse_ino_t inode, Call call, Reply reply) {
  const storage::UniqueFd fd(
      server_of(request).tree.open(node_of(request, inode), O_PATH | O_NOFOLLOW));
  const auto path = "/proc/self/fd/" + std::to_string(fd.get());
  const auto result = fd ? call(path.c_str()) : ssize_t{-1};
  if (result < 0) {
    fuse_reply_err(request, errno);
  } else {
    reply(static_cast<std::size_t>(result));
  }
}

void reply_list(fuse_req_t request, const std::vector<char>& bytes, std::size_t count) {
  if (bytes.empty()) {
    fuse_reply_xattr(request, count);
  } else {
    fuse_reply_buf(request, bytes.data(), count);
  }
}

void get_xattr(fuse_req_t request, fuse_ino_t inode, const char* name, std::size_t size_bytes) {
  std::vector<char> value(size_bytes);
  with_path(
      request, inode,
      [&](const char* path) { return ::getxattr(path, name, value.data(), value.size()); },
      [&](std::size_t count) { reply_list(request, value, count); });
}

void list_xattrs(fuse_req_t request, fuse_ino_t inode, std::size_t size_bytes) {
  std::vector<char> names(size_bytes);
  with_path(
      request, inode,
      [&](const char* path) { return ::listxattr(path, names.data(), names.size()); },
      [&](std::size_t count) { reply_list(request, names, count); });
}

void set_xattr(fuse_req_t request, fuse_ino_t inode, const char* name, const char* value,
               std::size_t size_bytes, int flags) {
  with_path(
      request, inode,
      [&](const char* path) -> ssize_t { return ::setxattr(path, name, value, size_bytes, flags); },
      [&](std::size_t) { fuse_reply_err(request, 0); });
}

void remove_xattr(fuse_req_t request, fuse_ino_t inode, const char* name) {
  with_path(
      request, inode, [&](const char* path) -> ssize_t { return ::removexattr(path, name); },
      [&](std::size_t) { fuse_reply_err(request, 0); });
}

}  // namespace

void add_xattrs(fuse_lowlevel_ops& operations) {
  operations.getxattr = get_xattr;
  operations.listxattr = list_xattrs;
  operations.setxattr = set_xattr;
  operations.removexattr = remove_xattr;
}

}  // namespace dgfs::bench
