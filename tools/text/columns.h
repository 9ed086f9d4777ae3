// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Many short texts in lines or columns, as ls prints them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dgfs::tools {

/// Text of a cell, asked for in the order of the output. `column` is where it begins.
using CellText = std::function<std::string(std::size_t cell, std::size_t column)>;

struct ColumnLayout {
  std::size_t line_columns = 80;
  std::size_t tab_columns = 8;  ///< columns are parted by tabs where they fit; 0 = by spaces
  bool across = false;          ///< sorted along the lines instead of the columns
  char line_end = '\n';
};

/// Lines, each ended, shorter than line_columns where one column fits; as few lines as possible.
/// @param widths  columns that each text takes on the terminal, colours not counted
[[nodiscard]] std::string in_columns(const std::vector<std::size_t>& widths,
                                     const ColumnLayout& layout, const CellText& text);

/// Lines of texts with `separator` and a space between them, shorter than line_columns (0 = no
/// limit) where one text fits. Of the layout, `line_columns` and `line_end` count.
[[nodiscard]] std::string in_lines(const std::vector<std::size_t>& widths,
                                   const ColumnLayout& layout, char separator,
                                   const CellText& text);

}  // namespace dgfs::tools
