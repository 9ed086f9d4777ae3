// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Requests that change the directory below.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "bench/pass_through/operations.h"

namespace dgfs::bench {
namespace {

int directory_fd(fuse_req_t request, fuse_ino_t inode) {
  return server_of(request).tree.directory_fd(node_of(request, inode));
}

void reply_done(fuse_req_t request, int result) {
  fuse_reply_err(request, result == 0 ? 0 : errno);
}

// Finds the object that was just made under a name; false: it has replied with an error.
bool find_made(fuse_req_t request, fuse_ino_t parent, const char* name, int result,
               fuse_entry_param& entry) {
  struct stat attributes {};
  if (result < 0 ||
      ::fstatat(directory_fd(request, parent), name, &attributes, AT_SYMLINK_NOFOLLOW) != 0) {
    fuse_reply_err(request, errno);
    return false;
  }
  auto& node = server_of(request).tree.made(node_of(request, parent), name, attributes);
  entry = entry_of(node, attributes);
  return true;
}

void reply_made(fuse_req_t request, fuse_ino_t parent, const char* name, int result) {
  fuse_entry_param entry{};
  if (find_made(request, parent, name, result, entry)) fuse_reply_entry(request, &entry);
}

void make_node(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, dev_t rdev) {
  reply_made(request, parent, name, ::mknodat(directory_fd(request, parent), name, mode, rdev));
}

void make_directory(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  reply_made(request, parent, name, ::mkdirat(directory_fd(request, parent), name, mode));
}

void make_symlink(fuse_req_t request, const char* target, fuse_ino_t parent, const char* name) {
  reply_made(request, parent, name, ::symlinkat(target, directory_fd(request, parent), name));
}

void link(fuse_req_t request, fuse_ino_t inode, fuse_ino_t parent, const char* name) {
  const int file = server_of(request).tree.open(node_of(request, inode), O_PATH);
  const auto path = "/proc/self/fd/" + std::to_string(file);
  const int result = file < 0 ? -1
                              : ::linkat(AT_FDCWD, path.c_str(), directory_fd(request, parent),
                                         name, AT_SYMLINK_FOLLOW);
  const int os_errno = errno;
  if (file >= 0) ::close(file);
  errno = os_errno;
  reply_made(request, parent, name, result);
}

void create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode,
            fuse_file_info* file) {
  const int fd =
      ::openat(directory_fd(request, parent), name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
  fuse_entry_param entry{};
  if (!find_made(request, parent, name, fd, entry)) return;
  file->fh = static_cast<std::uint64_t>(fd);
  file->keep_cache = 1;
  file->noflush = 1;
  fuse_reply_create(request, &entry, file);
}

void unlink(fuse_req_t request, fuse_ino_t parent, const char* name) {
  reply_done(request, ::unlinkat(directory_fd(request, parent), name, 0));
}

void remove_directory(fuse_req_t request, fuse_ino_t parent, const char* name) {
  reply_done(request, ::unlinkat(directory_fd(request, parent), name, AT_REMOVEDIR));
}

void rename(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_ino_t new_parent,
            const char* new_name, unsigned flags) {
  const int to = directory_fd(request, new_parent);
  const int result = ::renameat2(directory_fd(request, parent), name, to, new_name, flags);
  struct stat attributes {};
  if (result == 0 && ::fstatat(to, new_name, &attributes, AT_SYMLINK_NOFOLLOW) == 0) {
    server_of(request).tree.moved(node_of(request, new_parent), new_name, attributes);
  }
  reply_done(request, result);
}

// For any type of file: `fd` is opened with O_PATH.
int change(int fd, const struct stat& wish, int to_set) {
  const auto path = "/proc/self/fd/" + std::to_string(fd);
  if ((to_set & FUSE_SET_ATTR_MODE) != 0 && ::chmod(path.c_str(), wish.st_mode) != 0) return -1;
  if ((to_set & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0) {
    const auto uid = (to_set & FUSE_SET_ATTR_UID) != 0 ? wish.st_uid : static_cast<uid_t>(-1);
    const auto gid = (to_set & FUSE_SET_ATTR_GID) != 0 ? wish.st_gid : static_cast<gid_t>(-1);
    if (::fchownat(fd, "", uid, gid, AT_EMPTY_PATH) != 0) return -1;
  }
  if ((to_set & FUSE_SET_ATTR_SIZE) != 0 && ::truncate(path.c_str(), wish.st_size) != 0) return -1;
  if ((to_set & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME)) == 0) return 0;
  timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
  if ((to_set & FUSE_SET_ATTR_ATIME_NOW) != 0) {
    times[0].tv_nsec = UTIME_NOW;
  } else if ((to_set & FUSE_SET_ATTR_ATIME) != 0) {
    times[0] = wish.st_atim;
  }
  if ((to_set & FUSE_SET_ATTR_MTIME_NOW) != 0) {
    times[1].tv_nsec = UTIME_NOW;
  } else if ((to_set & FUSE_SET_ATTR_MTIME) != 0) {
    times[1] = wish.st_mtim;
  }
  return ::utimensat(fd, "", times, AT_EMPTY_PATH);
}

void set_attributes(fuse_req_t request, fuse_ino_t inode, struct stat* wish, int to_set,
                    fuse_file_info*) {
  auto& node = node_of(request, inode);
  const int fd = server_of(request).tree.open(node, O_PATH | O_NOFOLLOW);
  struct stat attributes {};
  const bool is_done = fd >= 0 && change(fd, *wish, to_set) == 0 &&
                       ::fstatat(fd, "", &attributes, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) == 0;
  const int os_errno = errno;
  if (fd >= 0) ::close(fd);
  if (is_done) {
    fuse_reply_attr(request, &attributes, kForeverSeconds);
  } else {
    fuse_reply_err(request, os_errno);
  }
}

void write_file(fuse_req_t request, fuse_ino_t, const char* bytes, std::size_t size_bytes,
                off_t offset, fuse_file_info* file) {
  const auto count = ::pwrite(static_cast<int>(file->fh), bytes, size_bytes, offset);
  if (count < 0) {
    fuse_reply_err(request, errno);
  } else {
    fuse_reply_write(request, static_cast<std::size_t>(count));
  }
}

void sync_file(fuse_req_t request, fuse_ino_t, int data_alone, fuse_file_info* file) {
  const int fd = static_cast<int>(file->fh);
  reply_done(request, data_alone != 0 ? ::fdatasync(fd) : ::fsync(fd));
}

}  // namespace

void add_changes(fuse_lowlevel_ops& operations) {
  operations.mknod = make_node;
  operations.mkdir = make_directory;
  operations.symlink = make_symlink;
  operations.link = link;
  operations.create = create;
  operations.unlink = unlink;
  operations.rmdir = remove_directory;
  operations.rename = rename;
  operations.setattr = set_attributes;
  operations.write = write_file;
  operations.fsync = sync_file;
}

}  // namespace dgfs::bench
