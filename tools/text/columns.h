// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Arranges many short texts in lines or columns, as ls does.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dgfs::tools {

/// Returns the text of a cell; called in the order of the output. `column` is where it begins.
using CellText = std::function<std::string(std::size_t cell, std::size_t column)>;

struct ColumnLayout {
  std::size_t line_columns = 80;
  std::size_t tab_columns = 8;  ///< tabs separate columns where they fit; 0: spaces do
  bool across = false;          ///< sorted along the lines instead of the columns
  char line_end = '\n';
};

/// As few lines as possible, each ended, and shorter than line_columns if one column fits.
/// @param widths  columns that each text takes on the terminal, colours not counted
[[nodiscard]] std::string in_columns(const std::vector<std::size_t>& widths,
                                     const ColumnLayout& layout, const CellText& text);

/// Lines of texts separated by `separator` and a space, shorter than line_columns (0: no limit) if
/// one text fits. Uses only `line_columns` and `line_end` of the layout.
[[nodiscard]] std::string in_lines(const std::vector<std::size_t>& widths,
                                   const ColumnLayout& layout, char separator,
                                   const CellText& text);

}  // namespace dgfs::tools
