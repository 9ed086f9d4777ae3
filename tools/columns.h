// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Many short texts in lines or columns, as ls prints them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dgfs::tools {

struct Cell {
  std::string text;
  std::size_t width_columns = 0;  ///< what the text takes on the terminal, colours not counted
};

struct ColumnLayout {
  std::size_t line_columns = 80;
  std::size_t tab_columns = 8;  ///< columns are parted by tabs where they fit; 0 = by spaces
  bool across = false;          ///< sorted along the lines instead of the columns
};

/// Lines, each ended, shorter than line_columns where one column fits; as few lines as possible.
[[nodiscard]] std::string in_columns(const std::vector<Cell>& cells, const ColumnLayout& layout);

/// Lines of texts with `separator` and a space between them, shorter than line_columns (0 = no
/// limit) where one text fits.
[[nodiscard]] std::string in_lines(const std::vector<Cell>& cells, std::size_t line_columns,
                                   char separator);

}  // namespace dgfs::tools
