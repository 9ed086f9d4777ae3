// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/daemon_path.h"

#include <cstdlib>
#include <memory>

#include "storage/env.h"

namespace dgfs::fuse {

std::string absolute(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

std::string absolute_mount_point(const std::string& path) {
  // A link as the last name is followed, which asks nothing of what it leads to.
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real) return real.get();
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
