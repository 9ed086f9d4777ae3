// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/tree_path.h"

#include <algorithm>

namespace dgfs::builder {

std::string tree_path(std::string_view prefix, std::string_view name) {
  std::string path(prefix);
  std::replace(path.begin(), path.end(), '\0', '/');
  return path.append(name);
}

void set_key(std::string& key, std::string_view prefix, std::string_view name) {
  key.reserve(prefix.size() + 1 + name.size());  // all at once: growing would double a long one
  key.assign(prefix).push_back('\0');
  key.append(name);
}

}  // namespace dgfs::builder
