// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PathList: chosen paths, each with everything below it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace dgfs::rules {

/// Splits `text` at `separator` and leaves out empty pieces. If the separator is '\n', a '\r'
/// before it is removed, too.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text, char separator);

/// "/a//./b/" -> "a/b"; "." -> ""; "a/../b" -> "b", even if "a" is a link. A ".." that leads out of
/// the tree stays at the beginning.
[[nodiscard]] std::string clean_path(std::string_view path);

/// Memory: the paths and their parent directories. A value.
class PathList {
 public:
  PathList() = default;
  /// @param paths  relative to the root of the tree, as users write them; cleaned here
  explicit PathList(const std::vector<std::string>& paths);

  /// Whether no path is chosen. includes() is then true for every path.
  [[nodiscard]] bool empty() const { return chosen_.empty(); }
  /// Whether `path` (clean) is chosen, lies below a chosen path, or is a parent of one.
  [[nodiscard]] bool includes(std::string_view path) const;
  /// The cleaned paths in the order given, without repetitions.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
  std::unordered_set<std::string> chosen_;
  std::unordered_set<std::string> parents_;
};

}  // namespace dgfs::rules
