// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/space_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/limits.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {

SpaceParts space_parts(const reader::Image& image, std::uint64_t files_bytes) {
  bool has_image = false;
  bool has_index = false;
  for (const auto& [role, path] : image.files()) {
    has_image = has_image || role == "image";
    has_index = has_index || role == "index";
  }
  std::uint64_t contents = 0;
  std::uint64_t headers = 0;
  for (const auto& record : image.volumes()) {
    if (!image.volume_path(record.number)) continue;
    contents += record.data_end - format::kPageBytes;
    headers += 2 * format::kPageBytes;
  }
  const std::uint64_t index_bytes = image.superblock().index_bytes;
  const bool has_copy = has_image && (image.has_second_index() || !has_index);
  const SpaceParts all = {{"contents", contents},
                          {"index", has_index ? index_bytes : 0},
                          {"index in image", has_copy ? index_bytes : 0},
                          {"header pages", headers}};
  SpaceParts parts;
  std::uint64_t rest = files_bytes;
  for (const auto& [name, bytes] : all) {
    rest -= std::min(rest, bytes);
    if (bytes != 0) parts.emplace_back(name, bytes);
  }
  if (rest != 0) parts.emplace_back("unused", rest);
  return parts;
}

std::string space_text(const SpaceParts& parts, std::uint64_t files_bytes) {
  std::string text;
  const auto whole = static_cast<double>(std::max<std::uint64_t>(files_bytes, 1));
  for (const auto& [name, bytes] : parts) {
    text += fmt::format("  {:<17} {:>17} B  {:>5.1f} %\n", name, grouped(bytes),
                        100 * static_cast<double>(bytes) / whole);
  }
  return text;
}

void add_space(JsonObject& json, const SpaceParts& parts) {
  JsonObject object;
  for (const auto& [name, bytes] : parts) object.add(name, bytes);
  json.add("file_bytes", object);
}

}  // namespace dgfs::tools
