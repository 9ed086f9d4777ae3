// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/mode.h"
#include "format/superblock.h"
#include "tools/image_path.h"
#include "tools/node_facts.h"
#include "tools/quoting.h"

namespace dgfs::tools {
namespace {

constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kClearToEnd = "\x1b[K";

}  // namespace

LsPrinter::LsPrinter(const Session& session, const reader::Image& image, const LsOptions& options)
    : session_(session),
      image_(image),
      options_(options),
      colors_(session.env().variable("LS_COLORS").value_or("")),
      has_acls_((image.superblock().compat & format::feature::kCompatAcls) != 0) {}

bool LsPrinter::needs_targets() const {
  const bool for_color = options_.color && (colors_.colors("or") || colors_.links_as_targets() ||
                                            options_.format == LsFormat::kLong);
  const bool for_indicator =
      options_.indicator >= LsIndicator::kFileType && options_.format == LsFormat::kLong;
  return for_color || for_indicator || options_.directories_first;
}

void LsPrinter::complain(const std::string& path, const Error& error) {
  session_.complain(path, error.message());
  failed_ = true;
}

void LsPrinter::print_header(const std::string& directory) {
  if (options_.json) return;
  NameStyle style = options_.name_style;
  style.also = ":";
  if (printed_) session_.print("\n");
  session_.print(style.text(directory) + ":\n");
  printed_ = true;
}

void LsPrinter::print_total(const std::vector<LsEntry>& entries) {
  const bool shows = options_.format == LsFormat::kLong || options_.listing.blocks;
  if (!shows || options_.json) return;
  std::uint64_t bytes = 0;
  for (const LsEntry& entry : entries) bytes += entry.unknown ? 0 : allocated_bytes(entry.node);
  session_.print("total " + blocks_text(bytes, options_.listing) +
                 (options_.ends_with_nul ? '\0' : '\n'));
}

void LsPrinter::print_json(const std::string& directory,
                           const std::vector<LsEntry>& entries) const {
  for (const LsEntry& entry : entries) {
    std::string path = joined_path(directory, entry.name);
    if (options_.whole_image && path.starts_with("./")) path.erase(0, 2);
    session_.print(node_json(image_, path, entry.node).line());
  }
}

void LsPrinter::print(const std::string& directory, const std::vector<LsEntry>& entries,
                      const std::vector<LsEntry>& measured) {
  if (options_.json) return print_json(directory, entries);
  if (entries.empty()) return;
  printed_ = true;
  const bool aligns =
      options_.format == LsFormat::kLong ||
      ((options_.format == LsFormat::kColumns || options_.format == LsFormat::kRows) &&
       options_.width_columns != 0);
  some_quoted_ = aligns && options_.name_style.quotes_some() &&
                 std::any_of(entries.begin(), entries.end(), [&](const LsEntry& entry) {
                   return options_.name_style.text(entry.name) != entry.name;
                 });
  LongListing listing(options_.listing, users_);
  std::vector<bool> acls;
  for (const LsEntry& entry : entries) {
    acls.push_back(options_.format == LsFormat::kLong && has_acls_ && !entry.unknown &&
                   has_xattr(entry, "system.posix_acl_"));
    if (entry.unknown) {
      listing.widen_unknown();
    } else {
      listing.widen(entry.node, acls.back());
    }
  }
  for (const LsEntry& entry : measured) listing.widen(entry.node, false);
  const char end = options_.ends_with_nul ? '\0' : '\n';
  if (options_.format == LsFormat::kLong) {
    std::string text;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      text += long_line(directory, entries[i], listing, acls[i]) + end;
    }
    return session_.print(text);
  }
  std::vector<Cell> cells;
  for (const LsEntry& entry : entries) cells.push_back(cell_of(entry, listing));
  if (options_.format == LsFormat::kCommas) {
    return session_.print(in_lines(cells, options_.width_columns, ','));
  }
  if (options_.format == LsFormat::kOnePerLine) {
    for (const Cell& cell : cells) session_.print(cell.text + end);
  } else if (options_.width_columns == 0) {
    session_.print(in_lines(cells, 0, ' '));
  } else {
    session_.print(in_columns(cells, {.line_columns = options_.width_columns,
                                      .tab_columns = options_.color ? 0 : options_.tab_columns,
                                      .across = options_.format == LsFormat::kRows}));
  }
}

bool LsPrinter::has_xattr(const LsEntry& entry, std::string_view prefix) const {
  if (!entry.node.xattrs.present()) return false;
  const Result<std::vector<Xattr>> xattrs = image_.xattrs(entry.node);
  return xattrs && std::any_of(xattrs.value().begin(), xattrs.value().end(),
                               [&](const Xattr& x) { return x.name.starts_with(prefix); });
}

/// Unquoted names are indented by a quote's width where others are quoted.
std::string LsPrinter::pad(const LsEntry& entry) const {
  return some_quoted_ && options_.name_style.text(entry.name) == entry.name ? " " : "";
}

std::optional<std::string_view> LsPrinter::color_of(const LsEntry& entry) const {
  if (!options_.color) return std::nullopt;
  ColoredEntry facts{
      .name = entry.name, .mode = entry.node.mode, .link_count = entry.node.link_count};
  if (format::is_symlink(entry.node.mode)) {
    facts.dangling = !entry.target;
    if (colors_.links_as_targets() && entry.target) facts.mode = entry.target->mode;
  } else if (format::is_regular(entry.node.mode) && colors_.colors("ca")) {
    facts.has_capability = has_xattr(entry, "security.capability");
  }
  return colors_.code(facts);
}

std::optional<std::string_view> LsPrinter::color_of_target(const LsEntry& entry,
                                                           std::string_view target) const {
  if (!options_.color) return std::nullopt;
  if (!entry.target) return colors_.code({.name = target, .missing = true});
  return colors_.code({.name = target, .mode = entry.target->mode});
}

std::string LsPrinter::colored(const std::string& text, std::optional<std::string_view> code,
                               WrapPlace place) {
  if (!code) return text;
  std::string out = fmt::format("{}\x1b[{}m{}{}", used_color_ ? "" : kPlain, *code, text, kPlain);
  used_color_ = true;
  const std::size_t line = options_.width_columns;
  const std::size_t last = place.column + place.padding_bytes + text.size() - 1;
  return line != 0 && place.column / line != last / line ? out.append(kClearToEnd) : out;
}

std::string_view LsPrinter::indicator(std::uint32_t mode) const {
  if (options_.indicator == LsIndicator::kNone) return "";
  if (format::is_directory(mode)) return "/";
  if (options_.indicator == LsIndicator::kSlash) return "";
  switch (format::type_of(mode)) {
    case format::kTypeSymlink:
      return "@";
    case format::kTypeFifo:
      return "|";
    case format::kTypeSocket:
      return "=";
    case format::kTypeRegular:
      return options_.indicator == LsIndicator::kClassify && (mode & 0111) != 0 ? "*" : "";
    default:
      return "";
  }
}

std::string LsPrinter::arrow_and_target(const std::string& path, const LsEntry& entry,
                                        WrapPlace place) {
  const Result<std::string> target = image_.read_link(entry.node);
  if (!target) {
    complain(path, target.error());
    return "";
  }
  const std::string text = options_.name_style.text(target.value());
  if (some_quoted_ && text == target.value()) place.padding_bytes = 1;
  std::string out = " -> " + colored(text, color_of_target(entry, target.value()), place);
  if (entry.target) out += indicator(entry.target->mode);
  return out;
}

std::string LsPrinter::long_line(const std::string& directory, const LsEntry& entry,
                                 const LongListing& listing, bool has_acl) {
  std::string line = entry.unknown ? listing.unknown_numbers(true) : listing.numbers(entry.node);
  const std::size_t column = entry.unknown ? listing.append_unknown(line)
                                           : listing.append_attributes(line, entry.node, has_acl);
  const std::string padding = pad(entry);
  const std::string name = options_.name_style.text(entry.name);
  line += padding + colored(name, color_of(entry), {column, padding.size()});
  if (entry.unknown) return line;
  if (!format::is_symlink(entry.node.mode)) return line += indicator(entry.node.mode);
  const std::size_t target_column = column + padding.size() + name.size() + 4;
  return line += arrow_and_target(joined_path(directory, entry.name), entry,
                                  {target_column, padding.size()});
}

/// What stands before a name where the format is not long.
std::string LsPrinter::numbers_of(const LsEntry& entry, const LongListing& listing) const {
  const bool aligned = options_.format != LsFormat::kCommas;
  const std::string context = options_.listing.context ? "? " : "";
  if (entry.unknown) return listing.unknown_numbers(aligned) + context;
  return (aligned ? listing.numbers(entry.node) : listing.plain_numbers(entry.node)) + context;
}

Cell LsPrinter::cell_of(const LsEntry& entry, const LongListing& listing) {
  const std::string before = numbers_of(entry, listing) + pad(entry);
  const std::string name = options_.name_style.text(entry.name);
  const std::string_view after = indicator(entry.node.mode);
  const std::size_t width = before.size() + display_width(name) + after.size();
  return {before + colored(name, color_of(entry), {}) + std::string(after), width};
}

}  // namespace dgfs::tools
