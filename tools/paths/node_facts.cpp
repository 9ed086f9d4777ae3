// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/node_facts.h"

#include <fmt/format.h>

#include "format/entry/mode.h"
#include "tools/text/mode_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {

std::uint64_t allocated_bytes(const reader::Node& node) {
  const std::uint64_t bytes = reader::data_bytes(node);
  return (bytes / kBlockBytes + (bytes % kBlockBytes != 0 ? 1 : 0)) * kBlockBytes;
}

JsonObject node_json(const reader::Image& image, std::string_view path, const reader::Node& node) {
  JsonObject json;
  json.add("path", path)
      .add("type", type_word(node.mode))
      .add("mode", fmt::format("{:04o}", node.mode & format::kPermissionMask))
      .add("size", node.size_bytes)
      .add("uid", node.uid)
      .add("gid", node.gid)
      .add("links", node.link_count)
      .add("inode", node.inode)
      .add("mtime", utc_time(node.mtime));
  if (format::is_device(node.mode)) {
    json.add("major", device_major(node.rdev)).add("minor", device_minor(node.rdev));
  }
  if (format::is_symlink(node.mode)) {
    const Result<std::string> target = image.read_link(node);
    if (target) json.add("target", target.value());
  }
  return json;
}

}  // namespace dgfs::tools
