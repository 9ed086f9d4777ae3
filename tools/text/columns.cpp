// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/columns.h"

#include <algorithm>
#include <numeric>

namespace dgfs::tools {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kColumnMin = 1 + kGap;  // a name of one letter

/// Widths of so many columns with their gaps; the last column has no gap.
std::vector<std::size_t> column_widths(const std::vector<std::size_t>& cells, std::size_t columns,
                                       bool across) {
  const std::size_t lines = (cells.size() + columns - 1) / columns;
  std::vector<std::size_t> widths(columns, kColumnMin);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t column = across ? i % columns : i / lines;
    const std::size_t gap = column + 1 == columns ? 0 : kGap;
    widths[column] = std::max(widths[column], cells[i] + gap);
  }
  return widths;
}

std::vector<std::size_t> fitting_widths(const std::vector<std::size_t>& cells,
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

std::string in_columns(const std::vector<std::size_t>& widths, const ColumnLayout& layout,
                       const CellText& text) {
  if (widths.empty()) return {};
  const std::vector<std::size_t> columns = fitting_widths(widths, layout);
  const std::size_t lines = (widths.size() + columns.size() - 1) / columns.size();
  std::string out;
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t first = layout.across ? line * columns.size() : line;
    const std::size_t step = layout.across ? 1 : lines;
    const std::size_t end =
        layout.across ? std::min(first + columns.size(), widths.size()) : widths.size();
    std::size_t begin = 0;
    for (std::size_t i = first, column = 0; i < end; i += step, ++column) {
      out += text(i, begin);
      if (i + step >= end) break;
      const std::size_t next = begin + columns[column];
      indent(out, begin + widths[i], next, layout.tab_columns);
      begin = next;
    }
    out += layout.line_end;
  }
  return out;
}

std::string in_lines(const std::vector<std::size_t>& widths, const ColumnLayout& layout,
                     char separator, const CellText& text) {
  if (widths.empty()) return {};
  const bool any_length = layout.line_columns == 0;
  std::string out;
  std::size_t column = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::size_t width = any_length ? 0 : widths[i];
    if (i != 0) {
      const bool fits = any_length || column + width + 2 < layout.line_columns;
      out += separator;
      out += fits ? ' ' : layout.line_end;
      column = fits ? column + 2 : 0;
    }
    out += text(i, column);
    column += width;
  }
  return out += layout.line_end;
}

}  // namespace dgfs::tools
