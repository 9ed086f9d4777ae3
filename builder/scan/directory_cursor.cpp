// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/directory_cursor.h"

#include <utility>

#include "format/entry/key.h"

namespace dgfs::builder {

Result<const storage::Directory*> DirectoryCursor::enter(std::string_view prefix) {
  std::size_t open = common_levels(prefix);
  while (open > 0 && levels_[open - 1].handle == nullptr) --open;
  levels_.resize(open);
  path_.resize(open == 0 ? 0 : levels_.back().end);
  while (path_.size() < prefix.size()) {
    const auto name = prefix.substr(path_.size(), prefix.find('\0', path_.size()) - path_.size());
    const storage::Directory& parent = levels_.empty() ? root_ : *levels_.back().handle;
    DGFS_TRY(handle, parent.open_directory(name));
    path_.append(name).push_back('\0');
    levels_.push_back({path_.size(), std::move(handle)});
    if (levels_.size() > kept_open_) levels_[levels_.size() - 1 - kept_open_].handle.reset();
  }
  return levels_.empty() ? &root_ : levels_.back().handle.get();
}

std::size_t DirectoryCursor::common_levels(std::string_view prefix) const {
  const std::size_t shared = format::shared_prefix_bytes(path_, prefix);
  std::size_t levels = 0;
  while (levels < levels_.size() && levels_[levels].end <= shared) ++levels;
  return levels;
}

}  // namespace dgfs::builder
