// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/resolved_path.h"

#include <cstdlib>
#include <memory>

namespace dgfs::storage {

std::optional<std::string> resolved_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) return std::nullopt;
  return real.get();
}

}  // namespace dgfs::storage
