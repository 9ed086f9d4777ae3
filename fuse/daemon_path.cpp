// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/daemon_path.h"

#include <cstdlib>
#include <memory>

namespace dgfs::fuse {

std::string absolute(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

std::string from_root(const std::string& path) {
  return path.empty() || path.front() == '/' ? path : absolute(".") + "/" + path;
}

}  // namespace dgfs::fuse
