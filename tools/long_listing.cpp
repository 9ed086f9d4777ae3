// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/long_listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/mode.h"
#include "tools/mode_text.h"
#include "tools/size_text.h"

namespace dgfs::tools {
namespace {

/// One row as text, not yet aligned.
struct RowTexts {
  std::string inode, mode, links, owner, group, size, major, minor, time;
  bool owner_is_number = false;
  bool group_is_number = false;
};

struct Widths {
  std::size_t inode = 0, links = 0, owner = 0, group = 0, size = 0, major = 0, minor = 0;
  bool any_acl = false;
};

RowTexts texts_of(const LongRow& row, const LongListingOptions& options, UserNames& users) {
  const reader::Node& node = row.node;
  RowTexts texts;
  if (options.inode) texts.inode = std::to_string(node.inode);
  texts.mode = mode_text(node.mode);
  texts.links = std::to_string(node.link_count);
  texts.owner_is_number = options.numeric || !users.user(node.uid);
  texts.owner = texts.owner_is_number ? std::to_string(node.uid) : *users.user(node.uid);
  texts.group_is_number = options.numeric || !users.group(node.gid);
  texts.group = texts.group_is_number ? std::to_string(node.gid) : *users.group(node.gid);
  if (format::is_device(node.mode)) {
    texts.major = std::to_string(device_major(node.rdev));
    texts.minor = std::to_string(device_minor(node.rdev));
  } else {
    texts.size = options.human ? human_size(node.size_bytes) : std::to_string(node.size_bytes);
  }
  texts.time = styled_time(node.mtime, options.now, options.time_style);
  return texts;
}

void widen(Widths& widths, const RowTexts& texts) {
  const auto grow = [](std::size_t& width, const std::string& text) {
    width = std::max(width, text.size());
  };
  grow(widths.inode, texts.inode);
  grow(widths.links, texts.links);
  grow(widths.owner, texts.owner);
  grow(widths.group, texts.group);
  grow(widths.size, texts.size);
  grow(widths.major, texts.major);
  grow(widths.minor, texts.minor);
}

std::string owner_column(const std::string& text, bool is_number, std::size_t width) {
  return is_number ? fmt::format("{:>{}}", text, width) : fmt::format("{:<{}}", text, width);
}

/// Sizes and "major, minor" share a column; their right ends meet.
std::string size_column(const RowTexts& texts, const Widths& widths) {
  const std::size_t device = widths.major == 0 ? 0 : widths.major + 2 + widths.minor;
  const std::size_t width = std::max(widths.size, device);
  if (texts.major.empty()) return fmt::format("{:>{}}", texts.size, width);
  return fmt::format("{:>{}}, {:>{}}", texts.major, width - 2 - widths.minor, texts.minor,
                     widths.minor);
}

std::string aligned(const LongRow& row, const RowTexts& texts, const Widths& widths) {
  std::string line;
  if (widths.inode != 0) line += fmt::format("{:>{}} ", texts.inode, widths.inode);
  line += texts.mode;
  if (widths.any_acl) line += row.has_acl ? '+' : ' ';
  line += fmt::format(" {:>{}} ", texts.links, widths.links);
  line += owner_column(texts.owner, texts.owner_is_number, widths.owner) + " ";
  line += owner_column(texts.group, texts.group_is_number, widths.group) + " ";
  line += size_column(texts, widths);
  return line + " " + texts.time + " " + row.name + "\n";
}

}  // namespace

std::string long_listing(const std::vector<LongRow>& rows, const LongListingOptions& options,
                         UserNames& users) {
  std::vector<RowTexts> texts;
  texts.reserve(rows.size());
  Widths widths;
  for (const LongRow& row : rows) {
    texts.push_back(texts_of(row, options, users));
    widen(widths, texts.back());
    widths.any_acl |= row.has_acl;
  }
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) out += aligned(rows[i], texts[i], widths);
  return out;
}

}  // namespace dgfs::tools
