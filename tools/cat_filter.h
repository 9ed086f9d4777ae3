// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CatFilter: applies cat's options to contents: line numbers, and signs for invisible bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::tools {

struct CatOptions {
  bool numbers_all = false;       ///< -n
  bool numbers_nonblank = false;  ///< -b, overrides -n
  bool squeezes = false;          ///< -s: keeps only the first of several blank lines in a row
  bool shows_ends = false;        ///< -E: '$' at the end of each line
  bool shows_tabs = false;        ///< -T: ^I
  bool shows_others = false;      ///< -v: ^X and M-X, except for line ends and tabs

  [[nodiscard]] bool changes_something() const {
    return numbers_all || numbers_nonblank || squeezes || shows_ends || shows_tabs || shows_others;
  }
};

/// Not thread-safe. A line may continue from one file into the next, as with cat(1).
class CatFilter {
 public:
  explicit CatFilter(const CatOptions& options) : options_(options) {}

  /// Returns the text to print for the next piece of contents.
  [[nodiscard]] std::string next(std::string_view piece);
  /// Returns the text left to print at the end.
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
  bool holds_return_ = false;  // a '\r', shown as ^M if the line ends right after it
};

}  // namespace dgfs::tools
