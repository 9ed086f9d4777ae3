// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Exclusion by shell patterns (BuildOptions::exclude).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dgfs::builder {

/// Whether all of `text` matches the shell pattern: `*` any bytes, `?` one UTF-8 character (one
/// byte where there is none), `[a-z]`, `[!a-z]`, `[[:digit:]]` one byte, `\\` takes the next
/// byte literally. '/' is a byte like others. Locale-independent, unlike fnmatch(3), and linear in
/// memory; time is at most the product of both lengths.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text);

/// Immutable; thread-safe.
class ExcludeList {
 public:
  explicit ExcludeList(const std::vector<std::string>& patterns);

  [[nodiscard]] bool empty() const { return by_name_.empty() && by_path_.empty(); }
  /// @param path  below the source, "a/b/name"
  [[nodiscard]] bool matches(std::string_view path) const;

 private:
  std::vector<std::string> by_name_;
  std::vector<std::string> by_path_;
};

}  // namespace dgfs::builder
