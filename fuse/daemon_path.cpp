// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/daemon_path.h"

#include <utility>

#include "storage/env.h"
#include "storage/posix/resolved_path.h"

namespace dgfs::fuse {

std::string absolute(const std::string& path) {
  return storage::resolved_path(path).value_or(path);
}

std::string absolute_mount_point(const std::string& path) {
  // Follows a link in the last component, but sends no request to a server that is mounted there.
  if (auto real = storage::resolved_path(path)) return *std::move(real);
  const auto end = path.find_last_not_of('/');
  if (end == path.npos) return path;  // the root
  const auto trimmed = path.substr(0, end + 1);
  const auto parent = absolute(storage::parent_path(trimmed));
  return (parent == "/" ? "" : parent) + "/" + storage::base_name(trimmed);
}

std::string from_root(const std::string& path) {
  return path.empty() || path.front() == '/' ? path : absolute(".") + "/" + path;
}

}  // namespace dgfs::fuse
