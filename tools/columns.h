// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Many short texts in columns that run downwards, as ls on a terminal.
#pragma once

#include <string>
#include <vector>

namespace dgfs::tools {

struct Cell {
  std::string text;
  std::size_t width_columns = 0;  ///< what the text takes on the terminal, colours not counted
};

/// Lines, each ended, at most `line_columns` wide where one column fits; as few lines as possible.
[[nodiscard]] std::string in_columns(const std::vector<Cell>& cells, std::size_t line_columns);

}  // namespace dgfs::tools
