// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cat_filter.h"

#include <fmt/format.h>

#include <utility>

namespace dgfs::tools {
namespace {

constexpr unsigned char kDelete = 0x7f;
constexpr unsigned char kMeta = 0x80;

void add_visible(std::string& out, unsigned char c) {
  if (c >= kMeta) out += "M-";
  c &= kDelete;
  if (c < ' ') {
    out += {'^', static_cast<char>(c + '@')};
  } else if (c == kDelete) {
    out += "^?";
  } else {
    out += static_cast<char>(c);
  }
}

}  // namespace

std::string CatFilter::next(std::string_view piece) {
  std::string out;
  out.reserve(piece.size());
  for (const char c : piece) {
    if (c == '\n') {
      add_line_end(out);
    } else {
      add(out, c);
    }
  }
  return out;
}

std::string CatFilter::end() {
  std::string out;
  add_held_return(out);
  return out;
}

void CatFilter::add_held_return(std::string& out) {
  if (std::exchange(holds_return_, false)) out += '\r';
}

void CatFilter::add_number(std::string& out) { out += fmt::format("{:6}\t", ++lines_); }

void CatFilter::add_line_end(std::string& out) {
  if (!std::exchange(in_line_, false)) {
    if (options_.squeezes && blank_lines_ != 0) return;
    ++blank_lines_;
    if (options_.numbers_all && !options_.numbers_nonblank) add_number(out);
  }
  if (std::exchange(holds_return_, false)) out += "^M";
  if (options_.shows_ends) out += '$';
  out += '\n';
}

void CatFilter::add(std::string& out, char c) {
  add_held_return(out);
  if (!std::exchange(in_line_, true)) {
    blank_lines_ = 0;
    if (options_.numbers_all || options_.numbers_nonblank) add_number(out);
  }
  if (c == '\t') {
    out += options_.shows_tabs ? "^I" : "\t";
  } else if (options_.shows_others) {
    add_visible(out, static_cast<unsigned char>(c));
  } else if (c == '\r' && options_.shows_ends) {
    holds_return_ = true;
  } else {
    out += c;
  }
}

}  // namespace dgfs::tools
