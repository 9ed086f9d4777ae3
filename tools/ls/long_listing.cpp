// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls/long_listing.h"

#include <algorithm>

#include "format/entry/mode.h"
#include "tools/paths/node_facts.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

void append_right(std::string& line, std::string_view text, std::size_t width) {
  if (text.size() < width) line.append(width - text.size(), ' ');
  line += text;
}

void append_left(std::string& line, std::string_view text, std::size_t width) {
  line += text;
  const std::size_t columns = display_width(text);
  if (columns < width) line.append(width - columns, ' ');
}

std::size_t digits(std::uint64_t number) {
  std::size_t count = 1;
  while (number >= 10) {
    number /= 10;
    ++count;
  }
  return count;
}

void grow(std::size_t& width, std::size_t needed) { width = std::max(width, needed); }

}  // namespace

bool LongListing::has_names() const {
  return options_.owner || options_.group || options_.author || options_.context;
}

/// "?", as wide as an old time.
std::string LongListing::unknown_time() const {
  std::string out;
  append_right(out, "?", display_width(format_time({}, options_.time_style.other)));
  return out;
}

std::string LongListing::time_text(const reader::Node& node) const {
  if (options_.time == nullptr) return unknown_time();
  return styled_time(node.*options_.time, options_.now, options_.time_style);
}

LongListing::Name LongListing::owner_of(const reader::Node& node) const {
  const auto* name = options_.numeric ? nullptr : &users_.user(node.uid);
  if (name != nullptr && *name) return {**name, false};
  return {std::to_string(node.uid), true};
}

LongListing::Name LongListing::group_of(const reader::Node& node) const {
  const auto* name = options_.numeric ? nullptr : &users_.group(node.gid);
  if (name != nullptr && *name) return {**name, false};
  return {std::to_string(node.gid), true};
}

void LongListing::widen(const reader::Node& node, const SecurityMarks& marks) {
  if (options_.inode) grow(widths_.inode, digits(node.inode));
  if (options_.blocks) {
    grow(widths_.blocks, text_in_units(allocated_bytes(node), options_.blocks_in).size());
  }
  widths_.any_sign |= marks.sign() != ' ';
  if (options_.context) grow(widths_.context, marks.context_text().size());
  grow(widths_.links, digits(node.link_count));
  if (options_.owner) grow(widths_.owner, display_width(owner_of(node).text));
  if (options_.group) grow(widths_.group, display_width(group_of(node).text));
  if (options_.author) grow(widths_.author, display_width(owner_of(node).text));
  if (format::is_device(node.mode)) {
    grow(widths_.major, digits(device_major(node.rdev)));
    grow(widths_.minor, digits(device_minor(node.rdev)));
    grow(widths_.size, widths_.major + 2 + widths_.minor);
  } else {
    grow(widths_.size, text_in_units(node.size_bytes, options_.sizes_in).size());
  }
}

void LongListing::widen_unknown() {
  grow(widths_.links, 1);
  if (options_.inode) grow(widths_.inode, 1);
  if (options_.blocks) grow(widths_.blocks, 1);
  if (options_.owner) grow(widths_.owner, 1);
  if (options_.group) grow(widths_.group, 1);
  if (options_.author) grow(widths_.author, 1);
  grow(widths_.size, 1);
}

std::string LongListing::unknown_numbers(bool aligned) const {
  std::string out;
  const auto append = [&](std::size_t width) {
    append_right(out, "?", aligned ? width : 1);
    out += ' ';
  };
  if (options_.inode) append(widths_.inode);
  if (options_.blocks) append(widths_.blocks);
  return out;
}

std::size_t LongListing::append_unknown(std::string& line, std::uint32_t mode) const {
  line += type_letter(mode);
  line += widths_.any_sign ? "?????????? " : "????????? ";
  append_right(line, "?", widths_.links);
  line += ' ';
  const auto append = [&line](std::size_t width) {
    append_left(line, "?", width);
    line += ' ';
  };
  if (options_.owner) append(widths_.owner);
  if (options_.group) append(widths_.group);
  if (options_.author) append(widths_.author);
  if (options_.context) append(widths_.context);
  const std::size_t counted_from = has_names() ? line.size() : 0;
  append_right(line, "?", widths_.size);
  line += ' ';
  line += unknown_time() + ' ';
  return line.size() - counted_from;
}

std::string LongListing::numbers(const reader::Node& node) const {
  std::string out;
  if (options_.inode) {
    append_right(out, std::to_string(node.inode), widths_.inode);
    out += ' ';
  }
  if (options_.blocks) {
    append_right(out, text_in_units(allocated_bytes(node), options_.blocks_in), widths_.blocks);
    out += ' ';
  }
  return out;
}

std::string LongListing::plain_numbers(const reader::Node& node) const {
  std::string out;
  if (options_.inode) out += std::to_string(node.inode) + ' ';
  if (options_.blocks) out += text_in_units(allocated_bytes(node), options_.blocks_in) + ' ';
  return out;
}

std::string LongListing::context(const SecurityMarks& marks, bool aligned) const {
  if (!options_.context) return {};
  std::string out;
  append_right(out, marks.context_text(), aligned ? widths_.context : 0);
  return out += ' ';
}

/// Sizes and "major, minor" share a column and are aligned at the right.
void LongListing::append_size(std::string& line, const reader::Node& node) const {
  if (!format::is_device(node.mode)) {
    return append_right(line, text_in_units(node.size_bytes, options_.sizes_in), widths_.size);
  }
  const std::string major = std::to_string(device_major(node.rdev));
  const std::string minor = std::to_string(device_minor(node.rdev));
  append_right(line, major, widths_.size - 2 - widths_.minor);
  line += ", ";
  append_right(line, minor, widths_.minor);
}

std::size_t LongListing::append_attributes(std::string& line, const reader::Node& node,
                                           const SecurityMarks& marks) const {
  line += mode_text(node.mode);
  if (widths_.any_sign) line += marks.sign();
  line += ' ';
  append_right(line, std::to_string(node.link_count), widths_.links);
  line += ' ';
  const auto append_name = [&line](const Name& name, std::size_t width) {
    name.is_number ? append_right(line, name.text, width) : append_left(line, name.text, width);
    line += ' ';
  };
  if (options_.owner) append_name(owner_of(node), widths_.owner);
  if (options_.group) append_name(group_of(node), widths_.group);
  if (options_.author) append_name(owner_of(node), widths_.author);
  if (options_.context) append_name({marks.context_text(), false}, widths_.context);
  const std::size_t counted_from = has_names() ? line.size() : 0;
  append_size(line, node);
  line += ' ';
  line += time_text(node);
  line += ' ';
  return line.size() - counted_from;
}

}  // namespace dgfs::tools
