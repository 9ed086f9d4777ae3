// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/index_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "format/limits.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

using Parts = std::vector<std::pair<std::string, std::uint64_t>>;

/// All parts of an index except absent sections; their lengths add up to that of the index.
Parts index_parts(const format::Superblock& superblock) {
  Parts parts = {{"superblock", format::kPageBytes}};
  std::uint64_t rest = superblock.index_bytes - format::kPageBytes;
  for (const auto& section : format::kSections) {
    const auto& place = superblock.section(section.kind);
    if (place.length_bytes == 0) continue;
    parts.emplace_back(section.name, place.length_bytes);
    rest -= std::min(rest, place.length_bytes);
  }
  if (rest != 0) parts.emplace_back("between sections", rest);
  return parts;
}

std::uint64_t whole_bytes(double bytes) { return static_cast<std::uint64_t>(std::llround(bytes)); }

/// One line of a table.
std::string row_text(std::string_view label, double bytes, std::uint64_t entries, double whole,
                     std::string_view remark = {}) {
  std::string text = fmt::format("  {:<17} {:>13} B  {:>6.3f} B/entry  {:>5.1f} %", label,
                                 grouped(whole_bytes(bytes)),
                                 bytes / static_cast<double>(std::max<std::uint64_t>(entries, 1)),
                                 100 * bytes / std::max(whole, 1.0));
  if (!remark.empty()) text += fmt::format("  {}", remark);
  return text + "\n";
}

std::uint64_t plain_bytes(const format::ColumnSize& column) { return (column.plain_bits + 7) / 8; }

std::string remark(const format::ColumnSize& column) {
  return fmt::format("of {} B", grouped(plain_bytes(column)));
}

std::uint64_t pages_of(const std::map<std::uint16_t, std::uint64_t>& pages, std::uint16_t id) {
  const auto found = pages.find(id);
  return found == pages.end() ? 0 : found->second;
}

/// Model 0 always exists; it is left out if no page uses it.
bool is_worth_telling(const reader::Generation& model, std::uint64_t pages) {
  return model.size != 0 || pages != 0;
}

std::string codecs_text(const PageScan& scan) {
  std::string text;
  for (const auto& [codec, pages] : scan.pages_of_codec) {
    text += fmt::format(", codec {}", codec);
    if (scan.pages_of_codec.size() > 1) text += fmt::format(" in {}", counted(pages, "page"));
  }
  return text;
}

/// @param pages  number of pages that use it, if they were counted
std::string generation_text(std::string_view label, const reader::Generation& generation,
                            std::string_view size, std::optional<std::uint64_t> pages) {
  const auto use = pages ? ", used by " + counted(*pages, "page") : "";
  return fmt::format("{:<10} {}: {}{}\n", label, generation.id, size, use);
}

std::string model_size(const reader::Generation& model) {
  return model.size == 0 ? "empty" : grouped(model.size) + " B";
}

template <typename Values, typename ObjectOf>
std::string json_list(const Values& values, const ObjectOf& object_of) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ",") + object_of(value).text();
  return "[" + text + "]";
}

}  // namespace

std::string sections_text(const format::Superblock& superblock) {
  std::string text;
  for (const auto& [name, bytes] : index_parts(superblock)) {
    text += row_text(name, static_cast<double>(bytes), superblock.namespace_entries,
                     static_cast<double>(superblock.index_bytes));
  }
  return text;
}

std::string generations_text(const reader::Image& image) {
  std::string text;
  for (const auto& model : image.models()) {
    if (model.size == 0) continue;
    text += generation_text("model", model, model_size(model), std::nullopt);
  }
  for (const auto& table : image.attribute_tables()) {
    text += generation_text("attributes", table, counted(table.size, "combination"), std::nullopt);
  }
  return text;
}

void add_generations(JsonObject& json, const reader::Image& image) {
  json.add_raw("models",
               json_list(image.models(),
                         [](const auto& model) {
                           return JsonObject().add("id", model.id).add("bytes", model.size);
                         }))
      .add_raw("attribute_tables", json_list(image.attribute_tables(), [](const auto& table) {
                 return JsonObject().add("id", table.id).add("combinations", table.size);
               }));
}

std::string pages_text(const reader::Image& image, const PageScan& scan) {
  const auto whole = static_cast<double>(scan.pages * format::kPageBytes);
  std::string text = fmt::format("{:<10} {}, {:.1f} % full, {:.0f} entries each{}\n", "pages",
                                 grouped(scan.pages), 100 * scan.fill(),
                                 static_cast<double>(scan.entries) /
                                     static_cast<double>(std::max<std::uint64_t>(scan.pages, 1)),
                                 codecs_text(scan));
  for (const auto& column : scan.columns) {
    if (column.plain_bits == 0) continue;
    text += row_text(column.name, column.stored_bytes, scan.entries, whole, remark(column));
  }
  text += row_text("page headers", static_cast<double>(scan.header_bytes), scan.entries, whole);
  text += row_text("unused", static_cast<double>(scan.unused_bytes), scan.entries, whole);
  for (const auto& model : image.models()) {
    const auto pages = pages_of(scan.pages_of_model, model.id);
    if (!is_worth_telling(model, pages)) continue;
    text += generation_text("model", model, model_size(model), pages);
  }
  for (const auto& table : image.attribute_tables()) {
    text += generation_text("attributes", table, counted(table.size, "combination"),
                            pages_of(scan.pages_of_attribute_table, table.id));
  }
  return text;
}

void add_sections(JsonObject& json, const format::Superblock& superblock) {
  JsonObject sections;
  for (const auto& [name, bytes] : index_parts(superblock)) sections.add(name, bytes);
  json.add("section_bytes", sections);
}

void add_pages(JsonObject& json, const reader::Image& image, const PageScan& scan) {
  json.add("pages", scan.pages)
      .add("page_fill", scan.fill())
      .add("page_header_bytes", scan.header_bytes)
      .add("page_unused_bytes", scan.unused_bytes)
      .add_raw("page_codecs",
               json_list(scan.pages_of_codec,
                         [](const auto& codec) {
                           return JsonObject().add("id", codec.first).add("pages", codec.second);
                         }))
      .add_raw("columns", json_list(scan.columns,
                                    [](const auto& column) {
                                      return JsonObject()
                                          .add("name", column.name)
                                          .add("plain_bytes", plain_bytes(column))
                                          .add("stored_bytes", whole_bytes(column.stored_bytes));
                                    }))
      .add_raw("models", json_list(image.models(),
                                   [&](const auto& model) {
                                     return JsonObject()
                                         .add("id", model.id)
                                         .add("bytes", model.size)
                                         .add("pages", pages_of(scan.pages_of_model, model.id));
                                   }))
      .add_raw("attribute_tables", json_list(image.attribute_tables(), [&](const auto& table) {
                 return JsonObject()
                     .add("id", table.id)
                     .add("combinations", table.size)
                     .add("pages", pages_of(scan.pages_of_attribute_table, table.id));
               }));
}

}  // namespace dgfs::tools
