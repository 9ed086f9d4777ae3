// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/source_place.h"

#include <optional>

namespace dgfs::update {
namespace {

// No path of the system has more levels: it would need more bytes than a path may have.
constexpr int kLevelsAboveMax = 4096;

}  // namespace

// Goes up by "..", which leads out of links, too.
Status check_lies_outside(storage::Env& env, const storage::Directory& tree,
                          const std::string& path, const std::string& what) {
  DGFS_TRY(root, tree.status());
  const bool is_directory = env.open_directory(path).has_value();
  std::string above = is_directory ? path : storage::parent_path(path);
  std::optional<storage::FileStatus> before;
  for (int level = 0; level < kLevelsAboveMax; ++level) {
    const auto now = env.status(above);
    if (!now) return ok();  // whoever opens it will say so
    const auto is_at = [&](const storage::FileStatus& other) {
      return now.value().device == other.device && now.value().inode == other.inode;
    };
    if (is_at(root)) {
      return Error(ErrorKind::kInvalidArgument, 7680,
                   "holds " + what + " (" + path + "), which an update would read while it writes")
          .in_file(tree.path());
    }
    if (before && is_at(*before)) return ok();  // the root
    before = now.value();
    above += "/..";
  }
  return ok();
}

}  // namespace dgfs::update
