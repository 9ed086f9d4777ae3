// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CatFilter: what cat's options make of contents: numbers before lines, signs for what cannot be
// seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::tools {

struct CatOptions {
  bool numbers_all = false;       ///< -n
  bool numbers_nonblank = false;  ///< -b, which is stronger
  bool squeezes = false;          ///< -s: of blank lines in a row only the first
  bool shows_ends = false;        ///< -E: '$' at the end of each line
  bool shows_tabs = false;        ///< -T: ^I
  bool shows_others = false;      ///< -v: ^X and M-X, but for line ends and tabs

  [[nodiscard]] bool changes_something() const {
    return numbers_all || numbers_nonblank || squeezes || shows_ends || shows_tabs || shows_others;
  }
};

/// Not thread-safe. Lines go on from one file into the next, as with cat(1).
class CatFilter {
 public:
  explicit CatFilter(const CatOptions& options) : options_(options) {}

  /// What to print for the next piece of contents.
  [[nodiscard]] std::string next(std::string_view piece);
  /// What is left to print at the end.
  [[nodiscard]] std::string end();

 private:
  void add_line_end(std::string& out);
  void add(std::string& out, char c);
  void add_number(std::string& out);
  void add_held_return(std::string& out);

  CatOptions options_;
  std::uint64_t lines_ = 0;
  bool in_line_ = false;
  unsigned blank_lines_ = 0;   // in a row, before this place
  bool holds_return_ = false;  // shown as ^M where the line ends behind it
};

}  // namespace dgfs::tools
