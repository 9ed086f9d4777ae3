// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/xattr.h"

#include <sys/types.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
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

// The system's calls on an open file, as EntryName has them for the entry of a directory.
struct OfFile {
  int fd;
  ssize_t list_xattrs(std::uint8_t* out, std::size_t size) const {
    return ::flistxattr(fd, reinterpret_cast<char*>(out), size);
  }
  ssize_t get_xattr(const char* name, std::uint8_t* out, std::size_t size) const {
    return ::fgetxattr(fd, name, out, size);
  }
};

template <class Object>
Result<std::vector<std::string>> names_of(const Object& object, const std::string& path) {
  Buffer buffer;
  const auto list = [&](std::uint8_t* out, std::size_t size) {
    return object.list_xattrs(out, size);
  };
  if (get_growing(buffer, list) >= 0) return split_names(as_text(buffer));
  if (errno == ENOTSUP || errno == ENOSYS) return std::vector<std::string>{};
  return os_error(1004, errno, "list extended attributes", path);
}

// nullopt: there is no such attribute (any more).
template <class Object>
Result<std::optional<Xattr>> read_one(const Object& object, std::string name,
                                      const std::string& path) {
  Buffer value;
  const auto get = [&](std::uint8_t* out, std::size_t size) {
    return object.get_xattr(name.c_str(), out, size);
  };
  if (get_growing(value, get) >= 0) return Xattr{std::move(name), std::move(value)};
  if (errno == ENODATA) return std::optional<Xattr>();
  return os_error(1005, errno, "read extended attribute " + name, path);
}

template <class Object>
Result<std::vector<Xattr>> collect(const Object& object, const std::string& path) {
  DGFS_TRY(names, names_of(object, path));
  std::vector<Xattr> xattrs;
  for (auto& name : names) {
    DGFS_TRY(xattr, read_one(object, std::move(name), path));
    if (xattr) xattrs.push_back(std::move(*xattr));
  }
  return xattrs;
}

// Attributes that decide on access. They are asked for by name if the list cannot be read; most
// objects have none of them.
constexpr std::array<const char*, 4> kAccessNames = {"security.capability", "security.selinux",
                                                     "system.posix_acl_access",
                                                     "system.posix_acl_default"};

template <class Object>
std::vector<Xattr> collect_readable(const Object& object, const std::string& path,
                                    std::vector<Error>& unreadable) {
  std::vector<std::string> names;
  auto listed = names_of(object, path);
  if (listed) {
    names = std::move(listed).value();
  } else {
    unreadable.push_back(std::move(listed).error());
    names.assign(kAccessNames.begin(), kAccessNames.end());
  }
  std::vector<Xattr> xattrs;
  for (auto& name : names) {
    auto xattr = read_one(object, std::move(name), path);
    if (xattr) {
      if (xattr.value()) xattrs.push_back(std::move(*xattr.value()));
    } else if (listed || xattr.error().os_errno() != EOPNOTSUPP) {
      unreadable.push_back(std::move(xattr).error());
    }
  }
  return xattrs;
}

}  // namespace

Result<std::vector<Xattr>> posix_xattrs(int fd, const std::string& path) {
  return collect(OfFile{fd}, path);
}

Result<std::vector<Xattr>> posix_xattrs_at(const EntryName& entry, const std::string& path) {
  return collect(entry, path);
}

std::vector<Xattr> posix_readable_xattrs(int fd, const std::string& path,
                                         std::vector<Error>& unreadable) {
  return collect_readable(OfFile{fd}, path, unreadable);
}

std::vector<Xattr> posix_readable_xattrs_at(const EntryName& entry, const std::string& path,
                                            std::vector<Error>& unreadable) {
  return collect_readable(entry, path, unreadable);
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
