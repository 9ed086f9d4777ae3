// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PathList: chosen paths, each with all that is below it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace dgfs::rules {

/// The pieces of `text` between separators; empty ones are left out. For '\n' a '\r' before it
/// goes too.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text, char separator);

/// "/a//./b/" -> "a/b"; "." -> ""; "a/../b" -> "b", whatever "a" may be. A ".." that leads out of
/// the tree stays, at the beginning.
[[nodiscard]] std::string clean_path(std::string_view path);

/// Memory: the paths and the directories on the way to them. A value.
class PathList {
 public:
  PathList() = default;
  /// @param paths  from the root of the tree, as users write them: cleaned here
  explicit PathList(const std::vector<std::string>& paths);

  /// Where nothing is chosen, everything is.
  [[nodiscard]] bool empty() const { return chosen_.empty(); }
  /// Whether `path` (clean) is chosen, lies below a chosen one, or on the way to one.
  [[nodiscard]] bool includes(std::string_view path) const;
  /// Clean, in the order given, without repetitions.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
  std::unordered_set<std::string> chosen_;
  std::unordered_set<std::string> parents_;
};

}  // namespace dgfs::rules
