// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls/name.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"
#include "tools/text/ascii.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

constexpr std::string_view kClearToEnd = "\x1b[K";

}  // namespace

std::string percent_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool stays =
        is_letter(c) || is_digit(c) || std::string_view("-._~/").find(c) != text.npos;
    out += stays ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

LsNames::LsNames(const Session& session, const reader::Image& image, const LsOptions& options)
    : image_(image), options_(options), colors_(session.env().variable("LS_COLORS").value_or("")) {}

bool LsNames::needs_targets() const {
  const bool is_long = options_.format == LsFormat::kLong;
  const bool for_color = options_.color && (colors_.colors("or") ||
                                            (colors_.colors("ex") && colors_.links_as_targets()) ||
                                            (colors_.colors("mi") && is_long));
  return for_color || options_.directories_first ||
         (options_.indicator >= LsIndicator::kFileType && is_long);
}

LsNames::Shape LsNames::shape(std::string_view name) const {
  return {options_.name_style.text(name), some_quoted_ && !options_.name_style.changes(name)};
}

std::size_t LsNames::columns(const LsEntry& entry) const {
  const Shape written = shape(entry.name);
  return display_width(written.text) + (written.indented ? 1 : 0);
}

/// Before the first sequence it sends one that resets earlier colours.
std::string LsNames::sequence(std::string_view code) {
  const bool first = !std::exchange(used_color_, true);
  return (first ? fmt::format("\x1b[{}m", colors_.reset()) : "") + fmt::format("\x1b[{}m", code);
}

std::string LsNames::line_begin() {
  const std::string_view normal = options_.color ? colors_.normal() : std::string_view();
  return normal.empty() ? "" : sequence(normal);
}

/// @param column, bytes  position and length of the text, as ls counts them; if the text may wrap
///                       there, the rest of the line is cleared so that no colour bleeds into it
std::string LsNames::colored(const std::string& text, std::optional<std::string_view> code,
                             std::size_t column, std::size_t bytes) {
  const bool normal = options_.color && !colors_.normal().empty();
  if (!code && !normal) return text;
  std::string out;
  if (code && normal) out += sequence("");
  if (code) out += sequence(*code);
  out += text;
  out += sequence(colors_.reset());
  const std::size_t line = options_.width_columns;
  const bool wraps = line != 0 && column / line != (column + bytes - 1) / line;
  return wraps ? out.append(kClearToEnd) : out;
}

std::string LsNames::link_to(const std::string& path, const std::string& text) const {
  return fmt::format("\x1b]8;;{}{}\a{}\x1b]8;;\a", options_.link_base, percent_escaped(path), text);
}

/// If other names are indented for quotes, the quotes of this name stay outside of the link.
std::string LsNames::linked(const Shape& shape, const std::string& directory,
                            const LsEntry& entry) const {
  if (!options_.hyperlinks) return shape.text;
  const std::string path = "/" + real_path(image_, joined_path(directory, entry.name));
  const std::string& text = shape.text;
  if (!some_quoted_ || shape.indented) return link_to(path, text);
  return text.front() + link_to(path, text.substr(1, text.size() - 2)) + text.back();
}

LsNames::Written LsNames::name(const std::string& directory, const LsEntry& entry,
                               std::size_t column) {
  const Shape written = shape(entry.name);
  const std::size_t indent = written.indented ? 1 : 0;
  const std::size_t bytes = written.text.size() + indent;
  const std::string text = linked(written, directory, entry);
  return {std::string(indent, ' ') + colored(text, color_of(entry), column, bytes), bytes,
          display_width(written.text) + indent};
}

LsNames::Written LsNames::target(const std::string& directory, const LsEntry& entry,
                                 const std::string& target, std::size_t column) {
  const Shape written = shape(target);
  // The target is not indented, but ls counts as if it were.
  const std::size_t bytes = written.text.size() + (written.indented ? 1 : 0);
  const std::string text = linked(written, directory, entry);
  return {colored(text, color_of_target(entry, target), column, bytes), bytes,
          display_width(written.text)};
}

std::string LsNames::header(const std::string& directory) const {
  NameStyle style = options_.name_style;
  style.also = ":";
  const std::string text = style.text(directory);
  if (!options_.hyperlinks) return text;
  return link_to("/" + real_path(image_, directory), text);
}

bool LsNames::has_capability(const LsEntry& entry) const {
  if (!entry.node.xattrs.present()) return false;
  const Result<std::vector<Xattr>> xattrs = image_.xattrs(entry.node);
  return xattrs && std::any_of(xattrs.value().begin(), xattrs.value().end(),
                               [](const Xattr& x) { return x.name == "security.capability"; });
}

std::optional<std::string_view> LsNames::color_of(const LsEntry& entry) const {
  if (!options_.color) return std::nullopt;
  ColoredEntry facts{
      .name = entry.name, .mode = entry.node.mode, .link_count = entry.node.link_count};
  if (format::is_symlink(entry.node.mode)) {
    facts.dangling = !entry.target;
    if (colors_.links_as_targets() && entry.target) facts.mode = entry.target->mode;
  } else if (format::is_regular(entry.node.mode) && colors_.colors("ca")) {
    facts.has_capability = has_capability(entry);
  }
  return colors_.code(facts);
}

/// As in ls, by the link count of the link itself.
std::optional<std::string_view> LsNames::color_of_target(const LsEntry& entry,
                                                         std::string_view target) const {
  if (!options_.color) return std::nullopt;
  if (!entry.target) return colors_.code({.name = target, .missing = true});
  return colors_.code(
      {.name = target, .mode = entry.target->mode, .link_count = entry.node.link_count});
}

}  // namespace dgfs::tools
