// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/overridden_list.h"

#include <algorithm>

#include "format/entry/access_list.h"

namespace dgfs::fuse {
namespace {

using format::AccessTag;

constexpr std::uint32_t kAll = 7;

}  // namespace

std::uint32_t mode_without_list(std::uint32_t mode, Bytes value) {
  const auto rest = mode & ~std::uint32_t{077};
  const auto list = format::parse_access_list(value);
  if (!list) return rest;
  // The mask applies to named users and groups, but not to others.
  const std::uint32_t mask = format::mask_of(*list);
  std::uint32_t users = kAll;
  std::uint32_t groups = kAll;
  for (const auto& entry : *list) {
    if (entry.tag == AccessTag::kUser) users &= entry.permissions & mask;
    if (entry.tag == AccessTag::kGroup) groups &= entry.permissions & mask;
  }
  const auto group = format::owning_group_of(*list).value_or(0) & users;
  const auto others = mode & kAll & users & groups;
  return rest | group << 3 | others;
}

// With umask=, permissions do not come from the object at all. A symlink has no list.
Result<reader::Node> without_list(const ImageFileSystem& mounted, reader::Node node) {
  const auto& overrides = mounted.overrides;
  const bool is_out_of_effect = overrides.any() && !overrides.umask && node.xattrs.present();
  if (!is_out_of_effect) return node;
  DGFS_TRY(xattrs, mounted.image.xattrs(node));
  const auto list = std::find_if(xattrs.begin(), xattrs.end(), [](const Xattr& xattr) {
    return xattr.name == format::kAccessListXattr;
  });
  if (list != xattrs.end()) node.mode = mode_without_list(node.mode, list->value);
  return node;
}

}  // namespace dgfs::fuse
