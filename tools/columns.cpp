// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/columns.h"

#include <algorithm>

namespace dgfs::tools {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kColumnMin = 1 + kGap;  // a name of one letter

/// Widths, gaps included, of `lines` lines; the last column has no gap.
std::vector<std::size_t> column_widths(const std::vector<Cell>& cells, std::size_t lines) {
  std::vector<std::size_t> widths;
  for (std::size_t begin = 0; begin < cells.size(); begin += lines) {
    const std::size_t end = std::min(begin + lines, cells.size());
    std::size_t width = 0;
    for (std::size_t i = begin; i < end; ++i) width = std::max(width, cells[i].width_columns);
    widths.push_back(width + (end == cells.size() ? 0 : kGap));
  }
  return widths;
}

std::vector<std::size_t> fitting_widths(const std::vector<Cell>& cells, std::size_t line_columns) {
  // Fewer lines than this cannot fit, however short the names are.
  const std::size_t columns_max = std::max<std::size_t>(1, (line_columns + kGap) / kColumnMin);
  for (std::size_t lines = (cells.size() + columns_max - 1) / columns_max; lines < cells.size();
       ++lines) {
    std::vector<std::size_t> widths = column_widths(cells, lines);
    std::size_t sum = 0;
    for (const std::size_t width : widths) sum += width;
    if (sum < line_columns) return widths;
  }
  return column_widths(cells, cells.size());
}

}  // namespace

std::string in_columns(const std::vector<Cell>& cells, std::size_t line_columns) {
  if (cells.empty()) return {};
  const std::vector<std::size_t> widths = fitting_widths(cells, line_columns);
  const std::size_t lines = (cells.size() + widths.size() - 1) / widths.size();
  std::string out;
  for (std::size_t line = 0; line < lines; ++line) {
    for (std::size_t i = line, column = 0; i < cells.size(); i += lines, ++column) {
      out += cells[i].text;
      const bool last = i + lines >= cells.size();
      if (!last) out.append(widths[column] - cells[i].width_columns, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace dgfs::tools
