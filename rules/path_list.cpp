// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "rules/path_list.h"

#include <algorithm>
#include <utility>

namespace dgfs::rules {

std::vector<std::string_view> split_lines(std::string_view text, char separator) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    auto line = text.substr(0, end);
    if (separator == '\n' && line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string clean_path(std::string_view path) {
  std::vector<std::string_view> names;
  for (const auto name : split_lines(path, '/')) {
    if (name == ".") continue;
    if (name == ".." && !names.empty() && names.back() != "..") {
      names.pop_back();
    } else {
      names.push_back(name);
    }
  }
  std::string clean;
  for (const auto name : names) {
    if (!clean.empty()) clean += '/';
    clean += name;
  }
  return clean;
}

PathList::PathList(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    auto clean = clean_path(path);
    if (!chosen_.insert(clean).second) continue;
    for (auto slash = clean.find('/'); slash != std::string::npos;
         slash = clean.find('/', slash + 1)) {
      parents_.insert(clean.substr(0, slash));
    }
    paths_.push_back(std::move(clean));
  }
}

bool PathList::includes(std::string_view path) const {
  if (path.empty() || empty() || chosen_.contains("")) return true;
  if (parents_.contains(std::string(path))) return true;
  for (auto slash = path.find('/');; slash = path.find('/', slash + 1)) {
    if (chosen_.contains(std::string(path.substr(0, slash)))) return true;
    if (slash == std::string_view::npos) return false;
  }
}

}  // namespace dgfs::rules
