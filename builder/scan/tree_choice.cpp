// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/tree_choice.h"

#include <memory>
#include <utility>

namespace dgfs::builder {
namespace {

// Goes down one component at a time, as the scan does.
Status check_exists(const storage::Directory& root, std::string_view path) {
  const storage::Directory* directory = &root;
  std::unique_ptr<storage::Directory> opened;
  while (true) {
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) break;
    DGFS_TRY(next, directory->open_directory(path.substr(0, slash)));
    opened = std::move(next);
    directory = opened.get();
    path.remove_prefix(slash + 1);
  }
  DGFS_CHECK(directory->status(path));
  return ok();
}

}  // namespace

bool TreeChoice::may_include(std::string_view path) const {
  return paths_.includes(path) &&
         (rules_.empty() || rules_.includes(path, false) || rules_.includes(path, true));
}

bool TreeChoice::includes(std::string_view path, bool is_directory) const {
  return paths_.includes(path) && rules_.includes(path, is_directory);
}

Status TreeChoice::check(const storage::Directory& root, LossLog& losses) const {
  for (const auto& path : paths_.paths()) {
    auto there = check_exists(root, path);
    if (!there) {
      DGFS_CHECK(losses.add(path, std::move(there).assume_error()));
    }
  }
  return ok();
}

}  // namespace dgfs::builder
