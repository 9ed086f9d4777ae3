// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/error_number.h"

#include <cerrno>

namespace dgfs::fuse {

namespace {

// Whether the error comes from a store or a view.
bool is_of_delta(const Error& error) {
  constexpr unsigned kDeltaCodes = 7;
  return error.code() / 1000 == kDeltaCodes;
}

}  // namespace

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
    case ErrorKind::kPermission:
      return is_of_delta(error) ? EROFS : EIO;
    case ErrorKind::kLimit:
      return is_of_delta(error) ? ENOMEM : EIO;
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
  // An image may need a feature that this program lacks: a fault. A view refuses requests that it
  // does not support: no fault.
  const bool lacks = error.kind() == ErrorKind::kUnsupported && !error.file().empty();
  return lacks || error_number(error, subject) == EIO || error.kind() == ErrorKind::kNoSpace;
}

}  // namespace dgfs::fuse
