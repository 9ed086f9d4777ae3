// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// EntryName: an entry of an open directory, for calls of the system that take extended attributes.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace dgfs::storage {

/// Whether a kernel, or a filter of calls in a container, does not know a call.
[[nodiscard]] inline bool is_missing_call(int os_errno) {
  return os_errno == ENOSYS || os_errno == EPERM;
}

/// Calls `old_way` because the new call failed with `new_errno`. Without /proc, the old way tells
/// only that there is no /proc.
template <class OldWay>
auto fall_back(int new_errno, const OldWay& old_way) {
  const auto result = old_way();
  if (result < 0 && errno == ENOENT && new_errno == EPERM) errno = EPERM;
  return result;
}

/// The calls do not follow a link at the end, and set errno as the calls for paths do. They need no
/// /proc since Linux 6.13; before that, they go through it. A value.
struct EntryName {
  int directory_fd = -1;
  std::string name;  ///< one component

  [[nodiscard]] ssize_t list_xattrs(std::uint8_t* out, std::size_t size) const;
  [[nodiscard]] ssize_t get_xattr(const char* key, std::uint8_t* out, std::size_t size) const;
  [[nodiscard]] int set_xattr(const char* key, Bytes value) const;
  [[nodiscard]] int remove_xattr(const char* key) const;

 private:
  /// "/proc/self/fd/N/name": a short path, however deep the directory lies.
  [[nodiscard]] std::string path() const;
};

}  // namespace dgfs::storage
