// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Converts the key prefixes that the stages of a build use to paths for messages and patterns, and
// to path keys.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace dgfs::builder {

/// "a 00 b 00" and "name" -> "a/b/name".
[[nodiscard]] inline std::string tree_path(std::string_view prefix, std::string_view name) {
  std::string path(prefix);
  std::replace(path.begin(), path.end(), '\0', '/');
  return path.append(name);
}

/// "a 00 b 00" and "name" -> the path key (format/entry/key.h). An empty prefix and an empty name
/// give the root's key.
inline void set_key(std::string& key, std::string_view prefix, std::string_view name) {
  key.reserve(prefix.size() + 1 + name.size());  // exact size: growth could double a long key
  key.assign(prefix).push_back('\0');
  key.append(name);
}

}  // namespace dgfs::builder
