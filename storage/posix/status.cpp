// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/status.h"

#include <sys/types.h>
#include <sys/xattr.h>

#include <algorithm>
#include <optional>

#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

Time to_time(const timespec& time) {
  return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}

// Calls `get(buffer, size)`, which reports the size it needs for size 0 and ERANGE when the
// attribute has grown since, until the buffer fits. -1: failed, see errno.
template <class Get>
ssize_t get_growing(Buffer& buffer, Get get) {
  while (true) {
    const ssize_t wanted = get(nullptr, std::size_t{0});
    if (wanted < 0) return -1;
    buffer.resize(static_cast<std::size_t>(wanted));
    if (wanted == 0) return 0;
    const ssize_t count = get(buffer.data(), buffer.size());
    if (count < 0 && errno == ERANGE) continue;
    if (count >= 0) buffer.resize(static_cast<std::size_t>(count));
    return count;
  }
}

// "a\0b\0" -> {"a", "b"}.
std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const auto end = std::min(list.find('\0'), list.size());
    names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

template <class List, class Get>
Result<std::vector<Xattr>> collect(const std::string& path, List list, Get get) {
  Buffer buffer;
  if (get_growing(buffer, list) < 0) {
    if (errno == ENOTSUP || errno == ENOSYS) return std::vector<Xattr>{};
    return os_error(1004, errno, "list extended attributes", path);
  }
  std::vector<Xattr> xattrs;
  for (auto& name : split_names(as_text(buffer))) {
    Buffer value;
    const auto get_value = [&](std::uint8_t* out, std::size_t size) {
      return get(name.c_str(), out, size);
    };
    if (get_growing(value, get_value) >= 0) {
      xattrs.push_back({std::move(name), std::move(value)});
    } else if (errno != ENODATA) {
      return os_error(1005, errno, "read extended attribute " + name, path);
    }
  }
  return xattrs;
}

char* as_chars(std::uint8_t* bytes) { return reinterpret_cast<char*>(bytes); }

}  // namespace

FileStatus to_file_status(const struct stat& status) {
  FileStatus out;
  out.device = status.st_dev;
  out.inode = status.st_ino;
  out.mode = status.st_mode;
  out.link_count = status.st_nlink;
  out.uid = status.st_uid;
  out.gid = status.st_gid;
  out.rdev = status.st_rdev;
  out.size_bytes = static_cast<std::uint64_t>(status.st_size);
  out.allocated_bytes = static_cast<std::uint64_t>(status.st_blocks) * 512;
  out.access_time = to_time(status.st_atim);
  out.modify_time = to_time(status.st_mtim);
  out.change_time = to_time(status.st_ctim);
  return out;
}

timespec to_timespec(const Time& time) {
  timespec out{};
  out.tv_sec = time.seconds;
  out.tv_nsec = static_cast<decltype(out.tv_nsec)>(time.nanoseconds);
  return out;
}

Result<std::vector<Xattr>> posix_xattrs(int fd, const std::string& path) {
  return collect(
      path,
      [fd](std::uint8_t* out, std::size_t size) { return ::flistxattr(fd, as_chars(out), size); },
      [fd](const char* name, std::uint8_t* out, std::size_t size) {
        return ::fgetxattr(fd, name, out, size);
      });
}

Result<std::vector<Xattr>> posix_xattrs_at(const std::string& real_path, const std::string& path) {
  const char* at = real_path.c_str();
  return collect(
      path,
      [at](std::uint8_t* out, std::size_t size) { return ::llistxattr(at, as_chars(out), size); },
      [at](const char* name, std::uint8_t* out, std::size_t size) {
        return ::lgetxattr(at, name, out, size);
      });
}

}  // namespace dgfs::storage
