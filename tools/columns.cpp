// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/columns.h"

#include <algorithm>
#include <numeric>

namespace dgfs::tools {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kColumnMin = 1 + kGap;  // a name of one letter

/// Widths of so many columns, gaps included; the last one has no gap.
std::vector<std::size_t> column_widths(const std::vector<Cell>& cells, std::size_t columns,
                                       bool across) {
  const std::size_t lines = (cells.size() + columns - 1) / columns;
  std::vector<std::size_t> widths(columns, kColumnMin);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t column = across ? i % columns : i / lines;
    const std::size_t gap = column + 1 == columns ? 0 : kGap;
    widths[column] = std::max(widths[column], cells[i].width_columns + gap);
  }
  return widths;
}

std::vector<std::size_t> fitting_widths(const std::vector<Cell>& cells,
                                        const ColumnLayout& layout) {
  // More columns than this cannot fit, however short the names are.
  const std::size_t most = (layout.line_columns + kColumnMin - 1) / kColumnMin;
  for (std::size_t columns = std::min(most, cells.size()); columns > 1; --columns) {
    std::vector<std::size_t> widths = column_widths(cells, columns, layout.across);
    const std::size_t sum = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
    if (sum < layout.line_columns) return widths;
  }
  return column_widths(cells, 1, layout.across);
}

void indent(std::string& out, std::size_t from, std::size_t to, std::size_t tab_columns) {
  while (from < to) {
    if (tab_columns != 0 && to / tab_columns > (from + 1) / tab_columns) {
      out += '\t';
      from += tab_columns - from % tab_columns;
    } else {
      out += ' ';
      ++from;
    }
  }
}

}  // namespace

std::string in_columns(const std::vector<Cell>& cells, const ColumnLayout& layout) {
  if (cells.empty()) return {};
  const std::vector<std::size_t> widths = fitting_widths(cells, layout);
  const std::size_t lines = (cells.size() + widths.size() - 1) / widths.size();
  std::string out;
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t first = layout.across ? line * widths.size() : line;
    const std::size_t step = layout.across ? 1 : lines;
    const std::size_t end =
        layout.across ? std::min(first + widths.size(), cells.size()) : cells.size();
    std::size_t begin = 0;
    for (std::size_t i = first, column = 0; i < end; i += step, ++column) {
      out += cells[i].text;
      if (i + step >= end) break;
      const std::size_t next = begin + widths[column];
      indent(out, begin + cells[i].width_columns, next, layout.tab_columns);
      begin = next;
    }
    out += '\n';
  }
  return out;
}

std::string in_lines(const std::vector<Cell>& cells, std::size_t line_columns, char separator) {
  if (cells.empty()) return {};
  std::string out;
  std::size_t column = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) {
      const bool fits = line_columns == 0 || column + cells[i].width_columns + 2 < line_columns;
      out += separator;
      out += fits ? ' ' : '\n';
      column = fits ? column + 2 : 0;
    }
    out += cells[i].text;
    column += cells[i].width_columns;
  }
  return out += '\n';
}

}  // namespace dgfs::tools
