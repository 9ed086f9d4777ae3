// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "rules/path_pattern.h"

#include <algorithm>

namespace dgfs::rules {
namespace {

bool ends_in_slash(std::string_view text) { return text.size() > 1 && text.back() == '/'; }

std::string_view without_slashes(std::string_view text) {
  if (ends_in_slash(text)) text.remove_suffix(1);
  if (text.starts_with('/')) text.remove_prefix(1);
  return text;
}

// The last `count` components of `path`; empty if it has fewer.
std::string_view last_components(std::string_view path, std::size_t count) {
  for (std::size_t at = path.size(); at > 0; --at) {
    if (path[at - 1] == '/' && --count == 0) return path.substr(at);
  }
  return count == 1 ? path : std::string_view();
}

}  // namespace

PathPattern::PathPattern(std::string_view text)
    : directory_only_(ends_in_slash(text)),
      anchored_(text.starts_with('/')),
      wild_(text.find_first_of("*?[") != std::string_view::npos),
      deep_(text.find("**") != std::string_view::npos),
      deep_start_(text.starts_with("**")),
      deep_end_(without_slashes(text).ends_with("***")),
      component_count_(1 + static_cast<std::size_t>(std::count(
                               text.begin(), text.end() - (directory_only_ ? 1 : 0), '/'))),
      text_(without_slashes(text)),
      glob_(text_) {}

bool PathPattern::matches(std::string_view path, bool is_directory) const {
  if (directory_only_ && !is_directory) return false;
  if (!wild_) return matches_literally(path);
  if (!deep_ && !anchored_) {
    const auto tail = last_components(path, component_count_);
    return !tail.empty() && glob_.matches(tail);
  }
  if (!deep_) return glob_.matches(path);
  std::string whole(deep_start_ ? "/" : "");
  whole += path;
  if (deep_end_ && is_directory) whole += '/';
  return anchored_ || deep_start_ ? glob_.matches(whole) : matches_after_any_slash(whole);
}

bool PathPattern::matches_literally(std::string_view path) const {
  if (anchored_) return path == text_;
  if (!path.ends_with(text_)) return false;
  return path.size() == text_.size() || path[path.size() - text_.size() - 1] == '/';
}

bool PathPattern::matches_after_any_slash(std::string_view path) const {
  for (std::size_t at = 0;; ++at) {
    if (glob_.matches(path.substr(at))) return true;
    at = path.find('/', at);
    if (at == std::string_view::npos) return false;
  }
}

}  // namespace dgfs::rules
