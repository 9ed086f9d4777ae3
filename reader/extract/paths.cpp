// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/paths.h"

#include <unordered_set>

#include "reader/extract/directory_stack.h"

namespace dgfs::reader {
namespace {

using PathSet = std::unordered_set<std::string>;

std::string clean_path(std::string_view path) {
  std::string clean;
  for (const auto name : components_of(path)) {
    if (name.empty() || name == ".") continue;
    if (!clean.empty()) clean += '/';
    clean += name;
  }
  return clean;
}

bool is_below_another(const std::string& path, const PathSet& others) {
  const std::string whole_image;
  if (!path.empty() && others.contains(whole_image)) return true;
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (others.contains(path.substr(0, slash))) return true;
  }
  return false;
}

}  // namespace

std::string_view parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<std::string> disjoint_paths(const std::vector<std::string>& paths) {
  if (paths.empty()) return {""};
  PathSet all;
  for (const auto& path : paths) all.insert(clean_path(path));
  PathSet taken;
  std::vector<std::string> disjoint;
  for (const auto& path : paths) {
    auto clean = clean_path(path);
    if (is_below_another(clean, all) || !taken.insert(clean).second) continue;
    disjoint.push_back(std::move(clean));
  }
  return disjoint;
}

}  // namespace dgfs::reader
