// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/xattr.h"

#include <sys/types.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

// The kernel's bound on values, XATTR_SIZE_MAX.
constexpr std::size_t kValueBytesMax = 65536;

// Calls `get(buffer, size)` until the buffer fits. For size 0, `get` returns the size needed; it
// fails with ERANGE if the attribute has grown since. Returns -1 and sets errno on failure.
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

Result<std::string> posix_xattr(const std::string& path, const std::string& name) {
  std::string value(kValueBytesMax, '\0');
  const ssize_t length = ::getxattr(path.c_str(), name.c_str(), value.data(), value.size());
  if (length >= 0) {
    value.resize(static_cast<std::size_t>(length));
    return value;
  }
  const int os_errno = errno;
  if (os_errno == ENODATA || os_errno == EOPNOTSUPP) {
    return Error(ErrorKind::kNotFound, 1152, "has no attribute " + name)
        .in_file(path)
        .with_errno(os_errno);
  }
  return os_error(1153, os_errno, "read attributes of", path);
}

}  // namespace dgfs::storage
