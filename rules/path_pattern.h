// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PathPattern: one pattern of an include or exclude rule, with the meaning that rsync(1) gives it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rules/glob.h"

namespace dgfs::rules {

/// - `/` at the start anchors the pattern at the root of the tree.
/// - `/` at the end makes it match directories only.
/// - A pattern with another `/`, or with `**`, is matched against the end of the path; any other
///   against the last name.
/// - Wildcards are those of Glob. Without any of `*`, `?` and `[`, every byte is literal, also `\`.
/// - `dir/***` matches the directory and everything below it.
/// A value; immutable.
class PathPattern {
 public:
  /// Accepts any text as a pattern; the view is not kept.
  explicit PathPattern(std::string_view text);

  /// @param path  relative to the root of the tree, "a/b/name"; not empty
  [[nodiscard]] bool matches(std::string_view path, bool is_directory) const;

 private:
  [[nodiscard]] bool matches_literally(std::string_view path) const;
  [[nodiscard]] bool matches_after_any_slash(std::string_view path) const;

  bool directory_only_;
  bool anchored_;
  bool wild_;
  bool deep_;                    ///< has "**"
  bool deep_start_;              ///< begins with "**", which may match no directory at all
  bool deep_end_;                ///< ends with "***"
  std::size_t component_count_;  ///< how many components at the end of a path it is compared with
  std::string text_;             ///< without anchor and trailing slash
  Glob glob_;
};

}  // namespace dgfs::rules
