// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/xattr.h"

#include <sys/xattr.h>

#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

// The kernel's bound on values, XATTR_SIZE_MAX.
constexpr std::size_t kValueBytesMax = 65536;

}  // namespace

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
