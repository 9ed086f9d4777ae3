// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls/printer.h"

#include <algorithm>

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"
#include "tools/paths/node_facts.h"
#include "tools/text/columns.h"
#include "tools/text/mode_text.h"

namespace dgfs::tools {

LsPrinter::LsPrinter(const Session& session, const reader::Image& image, const LsOptions& options)
    : session_(session), image_(image), options_(options), names_(session, image, options) {}

void LsPrinter::complain(const std::string& path, const Error& error) {
  session_.complain(path, error.message());
  failed_ = true;
}

void LsPrinter::print_header(const std::string& directory) {
  if (options_.json) return;
  names_.begin_listing(false);
  if (printed_) session_.print("\n");
  session_.print(names_.header(directory) + ":\n");
  printed_ = true;
}

void LsPrinter::print_total(const std::vector<LsEntry>& entries) {
  const bool shows = options_.format == LsFormat::kLong || options_.listing.blocks;
  if (!shows || options_.json) return;
  std::uint64_t bytes = 0;
  for (const LsEntry& entry : entries) bytes += entry.unknown ? 0 : allocated_bytes(entry.node);
  session_.print("total " + text_in_units(bytes, options_.listing.blocks_in) +
                 (options_.ends_with_nul ? '\0' : '\n'));
}

void LsPrinter::print_json(const std::string& directory,
                           const std::vector<LsEntry>& entries) const {
  for (const LsEntry& entry : entries) {
    std::string path = joined_path(directory, entry.name);
    if (options_.whole_image && path.starts_with("./")) path.erase(0, 2);
    if (entry.unknown) {
      JsonObject known;
      session_.print(known.add("path", path).add("type", type_word(entry.node.mode)).line());
    } else {
      session_.print(node_json(image_, path, entry.node).line());
    }
  }
}

/// Whether the format is aligned and has quoted names.
bool LsPrinter::indents(const std::vector<LsEntry>& entries) const {
  const bool in_columns =
      options_.format == LsFormat::kColumns || options_.format == LsFormat::kRows;
  const bool aligns =
      options_.format == LsFormat::kLong || (in_columns && options_.width_columns != 0);
  return aligns && options_.name_style.quotes_some() &&
         std::any_of(entries.begin(), entries.end(),
                     [&](const LsEntry& entry) { return names_.is_quoted(entry); });
}

void LsPrinter::print(const std::string& directory, const std::vector<LsEntry>& entries,
                      const std::vector<LsEntry>& measured) {
  if (options_.json) return print_json(directory, entries);
  if (entries.empty()) return;
  printed_ = true;
  names_.begin_listing(indents(entries) || indents(measured));
  LongListing listing(options_.listing, users_);
  std::vector<SecurityMarks> marks;
  for (const LsEntry& entry : entries) {
    marks.push_back(marks_of(entry));
    if (entry.unknown) {
      listing.widen_unknown();
    } else {
      listing.widen(entry.node, marks.back());
    }
  }
  for (const LsEntry& entry : measured) listing.widen(entry.node, marks_of(entry));
  if (options_.format != LsFormat::kLong) {
    return session_.print(cells_text(directory, entries, listing, marks));
  }
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += names_.line_begin();
    text += long_line(directory, entries[i], listing, marks[i]);
    text += options_.ends_with_nul ? '\0' : '\n';
  }
  session_.print(text);
}

SecurityMarks LsPrinter::marks_of(const LsEntry& entry) const {
  const bool shown = options_.format == LsFormat::kLong || options_.listing.context;
  return shown && !entry.unknown ? security_marks(image_, entry.node) : SecurityMarks();
}

std::string LsPrinter::cells_text(const std::string& directory, const std::vector<LsEntry>& entries,
                                  const LongListing& listing,
                                  const std::vector<SecurityMarks>& marks) {
  const auto before = [&](std::size_t i) { return numbers_of(entries[i], listing, marks[i]); };
  const auto text = [&](std::size_t i, std::size_t column) {
    std::string out = names_.line_begin();
    out += before(i);
    out += names_.name(directory, entries[i], column).text;
    return out += indicator(entries[i].node.mode);
  };
  const ColumnLayout layout{.line_columns = options_.width_columns,
                            .tab_columns = options_.color ? 0 : options_.tab_columns,
                            .across = options_.format == LsFormat::kRows,
                            .line_end = options_.ends_with_nul ? '\0' : '\n'};
  if (options_.format == LsFormat::kOnePerLine) {
    std::string out;
    for (std::size_t i = 0; i < entries.size(); ++i) out += text(i, 0) + layout.line_end;
    return out;
  }
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    widths.push_back(before(i).size() + names_.columns(entries[i]) +
                     indicator(entries[i].node.mode).size());
  }
  if (options_.format == LsFormat::kCommas) return in_lines(widths, layout, ',', text);
  if (options_.width_columns == 0) return in_lines(widths, layout, ' ', text);
  return in_columns(widths, layout, text);
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

std::string LsPrinter::arrow_and_target(const std::string& directory, const LsEntry& entry,
                                        std::size_t column) {
  const Result<std::string> target = image_.read_link(entry.node);
  if (!target) {
    complain(joined_path(directory, entry.name), target.error());
    return "";
  }
  std::string out = " -> " + names_.target(directory, entry, target.value(), column + 4).text;
  if (entry.target) out += indicator(entry.target->mode);
  return out;
}

std::string LsPrinter::long_line(const std::string& directory, const LsEntry& entry,
                                 const LongListing& listing, const SecurityMarks& marks) {
  std::string line = entry.unknown ? listing.unknown_numbers(true) : listing.numbers(entry.node);
  const std::size_t column = entry.unknown ? listing.append_unknown(line, entry.node.mode)
                                           : listing.append_attributes(line, entry.node, marks);
  const LsNames::Written name = names_.name(directory, entry, column);
  line += name.text;
  if (entry.unknown) return line;
  if (!format::is_symlink(entry.node.mode)) return line += indicator(entry.node.mode);
  return line += arrow_and_target(directory, entry, column + name.bytes);
}

/// The text before a name in formats that are not long.
std::string LsPrinter::numbers_of(const LsEntry& entry, const LongListing& listing,
                                  const SecurityMarks& marks) const {
  const bool aligned = options_.format != LsFormat::kCommas;
  const std::string context = listing.context(marks, aligned);
  if (entry.unknown) return listing.unknown_numbers(aligned) + context;
  return (aligned ? listing.numbers(entry.node) : listing.plain_numbers(entry.node)) + context;
}

}  // namespace dgfs::tools
