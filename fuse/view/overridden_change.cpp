// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/overridden_change.h"

#include <optional>

#include "format/entry/mode.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint32_t kSticky = 01000;

Status keep_id(const std::optional<std::uint32_t>& shown, std::optional<std::uint32_t>& wanted) {
  if (!shown || !wanted) return ok();
  if (*wanted != *shown) {
    return Error(ErrorKind::kNotPermitted, 5107, "the mount shows one owner for all files");
  }
  wanted.reset();
  return ok();
}

std::uint32_t hidden_bits(const AttributeOverrides& overrides, std::uint32_t mode) {
  if (!overrides.any() || format::is_device(mode)) return 0;
  const auto set_ids = format::kSetUserId | format::kSetGroupId;
  if (overrides.umask) return set_ids | kSticky;
  return format::is_regular(mode) ? set_ids : 0;
}

}  // namespace

Status keep_overridden(const AttributeOverrides& overrides, std::uint32_t mode,
                       view::AttributeChange& change) {
  if (format::is_device(mode)) return ok();
  DGFS_CHECK(keep_id(overrides.uid, change.uid));
  DGFS_CHECK(keep_id(overrides.gid, change.gid));
  if (change.permissions && (*change.permissions & hidden_bits(overrides, mode)) != 0) {
    return Error(ErrorKind::kNotPermitted, 5108, "the mount does not show these bits");
  }
  if (overrides.umask) change.permissions.reset();
  return ok();
}

bool changes_nothing(const view::AttributeChange& change) {
  return !change.permissions && !change.uid && !change.gid && !change.mtime && !change.atime &&
         !change.ctime && !change.size_bytes && change.cleared_permissions == 0 &&
         !change.drops_capabilities;
}

std::uint32_t new_mode(const AttributeOverrides& overrides, std::uint32_t mode) {
  return format::is_directory(mode) ? mode : mode & ~hidden_bits(overrides, mode);
}

}  // namespace dgfs::fuse
