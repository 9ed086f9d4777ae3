// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/privacy.h"

#include <fmt/format.h>

#include <algorithm>

#include "delta/store/directory/base_files.h"
#include "delta/store/private_mode.h"
#include "storage/file_mode.h"

namespace dgfs::delta {
namespace {

using storage::Directory;

bool is_number(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Other names were put there by the user. Nobody else reaches them through a private directory.
bool is_of_delta(const std::string& name) {
  return name == "MANIFEST" || name == "lock" || name == "control" || is_number(name) ||
         is_base_file(name);
}

bool is_of_store(const std::string& name) {
  return name == "store" || name == "log.0" || name == "log.1" || name == "blocks" ||
         name == "extents" || name == "lock";
}

// @param name  empty: the directory itself
Status tighten(Directory& directory, const std::string& name, Privacy& privacy) {
  const auto status = directory.status(name);
  if (!status && status.error().kind() == ErrorKind::kNotFound) return ok();
  if (!status) return status.error();
  const auto mode = status.value().mode;
  if (storage::is_type(mode, storage::kTypeLink)) return ok();
  if ((mode & kOthersMask) == 0) return ok();
  const auto set = directory.set_mode(name, mode & storage::kPermissionMask & ~kOthersMask);
  if (set) {
    ++privacy.tightened;
  } else if (!privacy.refused) {
    privacy.refused = set.error();
  }
  return ok();
}

Status tighten_all(Directory& directory, bool (*is_ours)(const std::string&), Privacy& privacy) {
  DGFS_CHECK(tighten(directory, "", privacy));
  DGFS_TRY(names, directory.list());
  for (const std::string& name : names) {
    if (is_ours(name)) {
      DGFS_CHECK(tighten(directory, name, privacy));
    }
  }
  return ok();
}

}  // namespace

std::string Privacy::text(const std::string& name) const {
  if (refused) {
    return fmt::format(
        "{}: other users may be able to read its files, and their modes cannot be "
        "changed: {}",
        name, refused->message());
  }
  if (tightened == 0) return {};
  return fmt::format("{}: other users had permissions for it; from now on only its owner has",
                     name);
}

Result<Privacy> make_private(storage::Env& env, const std::string& directory) {
  Privacy privacy;
  DGFS_TRY(opened, env.open_directory(directory));
  DGFS_CHECK(tighten_all(*opened, is_of_delta, privacy));
  DGFS_TRY(names, opened->list());
  for (const std::string& name : names) {
    if (!is_number(name)) continue;
    const auto store = opened->open_directory(name);
    if (!store && store.error().kind() == ErrorKind::kNotDirectory) continue;
    if (!store) return store.error();
    DGFS_CHECK(tighten_all(*store.value(), is_of_store, privacy));
  }
  return privacy;
}

}  // namespace dgfs::delta
