// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/path_completion.h"

#include <string>

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"

namespace dgfs::tools {

Status complete_path(const reader::Image& image, std::string_view beginning,
                     const std::function<void(std::string_view path)>& offer) {
  const std::size_t slash = beginning.rfind('/');
  const std::string directory(beginning.substr(0, slash == beginning.npos ? 0 : slash + 1));
  const std::string_view name_begin = beginning.substr(directory.size());
  const std::string_view looked_up = directory.empty() ? "." : std::string_view(directory);
  const Result<FoundNode> found = find_listed(image, looked_up, Follow::kYes);
  const auto is_absent = [](ErrorKind kind) {
    return kind == ErrorKind::kNotFound || kind == ErrorKind::kNotDirectory;
  };
  if (!found && is_absent(found.error().kind())) return ok();
  DGFS_TRY(node, found);
  if (!format::is_directory(node.node.mode)) return ok();
  const auto offer_name = [&](const reader::ListedName& listed) {
    if (listed.name.starts_with(name_begin) && listed.name.find('\n') == listed.name.npos) {
      const char* const end = format::is_directory(listed.mode) ? "/" : "";
      offer(directory + std::string(listed.name) + end);
    }
    return true;
  };
  return image.list(node.node.inode, 0, offer_name, [](const reader::LostNames&) { return true; });
}

}  // namespace dgfs::tools
