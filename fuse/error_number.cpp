// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/error_number.h"

#include <cerrno>

namespace dgfs::fuse {

int error_number(const Error& error, Subject subject) noexcept {
  switch (error.kind()) {
    case ErrorKind::kNotFound:
      return subject == Subject::kName ? ENOENT : EIO;
    case ErrorKind::kNotDirectory:
      return ENOTDIR;
    case ErrorKind::kIsDirectory:
      return EISDIR;
    case ErrorKind::kInvalidArgument:
      return EINVAL;
    case ErrorKind::kInterrupted:
      return EINTR;
    case ErrorKind::kBusy:
      return EBUSY;
    case ErrorKind::kUnsupported:
      return EOPNOTSUPP;
    case ErrorKind::kExists:
      return EEXIST;
    case ErrorKind::kNoSpace:
      return ENOSPC;
    case ErrorKind::kNotEmpty:
      return ENOTEMPTY;
    case ErrorKind::kNameTooLong:
      return ENAMETOOLONG;
    case ErrorKind::kTooManyLinks:
      return EMLINK;
    case ErrorKind::kNotPermitted:
      return EPERM;
    case ErrorKind::kNoAttribute:
      return ENODATA;
    case ErrorKind::kFileTooLarge:
      return EFBIG;
    case ErrorKind::kNoData:
      return ENXIO;
    case ErrorKind::kTooLarge:
      return E2BIG;
    case ErrorKind::kOutOfRange:
      return ERANGE;
    default:
      return EIO;
  }
}

bool is_fault(const Error& error, Subject subject) noexcept {
  return error_number(error, subject) == EIO || error.kind() == ErrorKind::kUnsupported;
}

}  // namespace dgfs::fuse
