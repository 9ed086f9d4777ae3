// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/pass_through/operations.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "fuse/transport/serving_thread.h"

namespace dgfs::bench {
namespace {

void start(void*, fuse_conn_info* connection) { want_capabilities(*connection); }

void look_up(fuse_req_t request, fuse_ino_t parent, const char* name) {
  auto& tree = server_of(request).tree;
  auto& directory = node_of(request, parent);
  const int fd = tree.directory_fd(directory);
  struct stat attributes {};
  fuse_entry_param entry{};
  if (fd >= 0 && ::fstatat(fd, name, &attributes, AT_SYMLINK_NOFOLLOW) == 0) {
    entry = entry_of(tree.node_of(directory, name, attributes), attributes);
  } else if (errno == ENOENT) {
    entry.entry_timeout = kForeverSeconds;
  } else {
    fuse_reply_err(request, errno);
    return;
  }
  fuse_reply_entry(request, &entry);
}

void forget(fuse_req_t request, fuse_ino_t, std::uint64_t) { fuse_reply_none(request); }

void forget_many(fuse_req_t request, std::size_t, fuse_forget_data*) { fuse_reply_none(request); }

void get_attributes(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  struct stat attributes {};
  if (server_of(request).tree.status(node_of(request, inode), attributes) != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  fuse_reply_attr(request, &attributes, kForeverSeconds);
}

void file_system_status(fuse_req_t request, fuse_ino_t) {
  auto& tree = server_of(request).tree;
  struct statvfs totals {};
  if (::fstatvfs(tree.directory_fd(tree.root()), &totals) != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  fuse_reply_statfs(request, &totals);
}

void read_link(fuse_req_t request, fuse_ino_t inode) {
  auto& node = node_of(request, inode);
  std::array<char, PATH_MAX> target{};
  const int fd = server_of(request).tree.directory_fd(*node.parent);
  const auto length = ::readlinkat(fd, node.name.c_str(), target.data(), target.size() - 1);
  if (length < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  fuse_reply_readlink(request, target.data());
}

void open_file(fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  const int access = server_of(request).changes ? O_RDWR : O_RDONLY;
  const int fd = server_of(request).tree.open(node_of(request, inode), access);
  if (fd < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  file->fh = static_cast<std::uint64_t>(fd);
  file->keep_cache = 1;
  file->noflush = 1;
  fuse_reply_open(request, file);
}

void release_file(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  ::close(static_cast<int>(file->fh));
  fuse_reply_err(request, 0);
}

void read_file(fuse_req_t request, fuse_ino_t, std::size_t size_bytes, off_t offset,
               fuse_file_info* file) {
  const auto room = fuse::reply_room(size_bytes);
  const auto count = ::pread(static_cast<int>(file->fh), room.data(), size_bytes, offset);
  if (count < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  fuse_reply_buf(request, reinterpret_cast<const char*>(room.data()),
                 static_cast<std::size_t>(count));
}

// A directory being listed. The entry that did not fit into one answer begins the next one.
struct Listing {
  DIR* stream;
  off_t offset = 0;  // after the entry that was sent last
  dirent* pending = nullptr;
};

void open_directory(fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  const int fd = server_of(request).tree.open(node_of(request, inode), O_RDONLY | O_DIRECTORY);
  DIR* const stream = fd < 0 ? nullptr : ::fdopendir(fd);
  if (stream == nullptr) {
    fuse_reply_err(request, errno);
    return;
  }
  file->fh = reinterpret_cast<std::uint64_t>(new Listing{stream});
  file->keep_cache = 1;
  file->cache_readdir = 1;
  fuse_reply_open(request, file);
}

void release_directory(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  auto* const listing = reinterpret_cast<Listing*>(file->fh);
  ::closedir(listing->stream);
  delete listing;
  fuse_reply_err(request, 0);
}

bool is_dot(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

// "." and ".." have no node id: the kernel knows these two already.
fuse_entry_param listed_entry(PassThrough& server, Node& directory, int fd, const dirent& found) {
  fuse_entry_param entry{};
  entry.attr.st_ino = found.d_ino;
  entry.attr.st_mode = static_cast<mode_t>(DTTOIF(found.d_type));
  struct stat attributes {};
  if (is_dot(found.d_name) || ::fstatat(fd, found.d_name, &attributes, AT_SYMLINK_NOFOLLOW) != 0) {
    return entry;
  }
  return entry_of(server.tree.node_of(directory, found.d_name, attributes), attributes);
}

void read_directory_plus(fuse_req_t request, fuse_ino_t inode, std::size_t size_bytes, off_t offset,
                         fuse_file_info* file) {
  auto& listing = *reinterpret_cast<Listing*>(file->fh);
  auto& directory = node_of(request, inode);
  if (offset != listing.offset) {
    ::seekdir(listing.stream, offset);
    listing.offset = offset;
    listing.pending = nullptr;
  }
  auto* const text = reinterpret_cast<char*>(fuse::reply_room(size_bytes).data());
  std::size_t used = 0;
  while (true) {
    if (listing.pending == nullptr) listing.pending = ::readdir(listing.stream);
    if (listing.pending == nullptr) break;
    const auto& found = *listing.pending;
    const auto room = size_bytes - used;
    const auto needed =
        fuse_add_direntry_plus(request, nullptr, 0, found.d_name, nullptr, found.d_off);
    if (needed > room) break;
    const auto entry = listed_entry(server_of(request), directory, ::dirfd(listing.stream), found);
    used += fuse_add_direntry_plus(request, text + used, room, found.d_name, &entry, found.d_off);
    listing.offset = found.d_off;
    listing.pending = nullptr;
  }
  fuse_reply_buf(request, text, used);
}

}  // namespace

fuse_lowlevel_ops make_pass_through_operations() {
  fuse_lowlevel_ops operations{};
  operations.init = start;
  operations.lookup = look_up;
  operations.forget = forget;
  operations.forget_multi = forget_many;
  operations.getattr = get_attributes;
  operations.statfs = file_system_status;
  operations.readlink = read_link;
  operations.open = open_file;
  operations.read = read_file;
  operations.release = release_file;
  operations.opendir = open_directory;
  operations.readdirplus = read_directory_plus;
  operations.releasedir = release_directory;
  return operations;
}

}  // namespace dgfs::bench
