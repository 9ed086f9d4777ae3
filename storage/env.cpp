// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/env.h"

namespace dgfs::storage {
namespace {

// "a/b//" -> "a/b"; "//" -> "/".
std::string_view without_trailing_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

}  // namespace

std::string parent_path(std::string_view path) {
  path = without_trailing_slashes(path);
  const auto slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return std::string(without_trailing_slashes(path.substr(0, slash + 1)));
}

std::string base_name(std::string_view path) {
  path = without_trailing_slashes(path);
  const auto slash = path.rfind('/');
  if (slash == path.npos || path.size() == 1) return std::string(path);
  return std::string(path.substr(slash + 1));
}

}  // namespace dgfs::storage
