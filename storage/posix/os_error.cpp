// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/os_error.h"

#include <system_error>

namespace dgfs::storage {

ErrorKind kind_of_errno(int os_errno) {
  switch (os_errno) {
    case ENOENT:
    case ENODATA:  // no such extended attribute
      return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
      return ErrorKind::kPermission;
    case EEXIST:
      return ErrorKind::kExists;
    case ENOTDIR:
      return ErrorKind::kNotDirectory;
    case EISDIR:
      return ErrorKind::kIsDirectory;
    case ELOOP:
      return ErrorKind::kLoop;
    case ENOSPC:
    case EDQUOT:
      return ErrorKind::kNoSpace;
    case EMLINK:
      return ErrorKind::kLimit;
    default:
      return ErrorKind::kIo;
  }
}

Error os_error(std::uint16_t code, int os_errno, std::string_view verb, const std::string& path) {
  std::string text = "cannot ";
  text += verb;
  text += ": " + std::generic_category().message(os_errno);
  // An empty path is a path, too. Without it, the message would not tell which file is meant.
  return Error(kind_of_errno(os_errno), code, std::move(text))
      .in_file(path.empty() ? "''" : path)
      .with_errno(os_errno);
}

}  // namespace dgfs::storage
