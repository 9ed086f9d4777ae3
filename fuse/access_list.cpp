// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/access_list.h"

#include <algorithm>

#include "format/mode.h"

namespace dgfs::fuse {
namespace {

// The system's form of a list, little-endian: a version of 4 bytes, then entries of a tag and
// permissions, 2 bytes each, and an id of 4 bytes; see acl_ea_entry in linux/posix_acl_xattr.h.
constexpr std::size_t kVersionBytes = 4;
constexpr std::size_t kEntryBytes = 8;
constexpr std::uint8_t kVersion = 2;
enum Tag : std::uint8_t { kUser = 0x02, kOwningGroup = 0x04, kGroup = 0x08, kMask = 0x10 };

constexpr std::uint32_t kAll = 7;

}  // namespace

std::uint32_t mode_without_list(std::uint32_t mode, Bytes list) {
  const auto rest = mode & ~std::uint32_t{077};
  if (list.size() < kVersionBytes || list[0] != kVersion ||
      (list.size() - kVersionBytes) % kEntryBytes != 0) {
    return rest;
  }
  std::uint32_t mask = kAll;
  std::uint32_t owning_group = 0;
  std::uint32_t users = kAll;   // what all users have that are named, before the mask
  std::uint32_t groups = kAll;  // likewise
  bool has_users = false;
  bool has_groups = false;
  for (auto at = kVersionBytes; at < list.size(); at += kEntryBytes) {
    const std::uint32_t permissions = list[at + 2] & kAll;
    switch (list[at]) {
      case kUser:
        users &= permissions;
        has_users = true;
        break;
      case kOwningGroup:
        owning_group = permissions;
        break;
      case kGroup:
        groups &= permissions;
        has_groups = true;
        break;
      case kMask:
        mask = permissions;
        break;
      default:
        break;
    }
  }
  const auto of_users = has_users ? users & mask : kAll;
  const auto of_groups = has_groups ? groups & mask : kAll;
  const auto group = owning_group & mask & of_users;
  const auto others = mode & kAll & of_users & of_groups;
  return rest | group << 3 | others;
}

// umask= replaces the permissions, which are then nobody's but the mount's. A symlink has no list.
Result<reader::Node> without_list(const Server& server, reader::Node node) {
  const auto& overrides = server.overrides;
  const bool is_out_of_effect = overrides.any() && !overrides.umask && node.xattrs.present();
  if (!is_out_of_effect) return node;
  DGFS_TRY(xattrs, server.image.xattrs(node));
  const auto list = std::find_if(xattrs.begin(), xattrs.end(), [](const Xattr& xattr) {
    return xattr.name == "system.posix_acl_access";
  });
  if (list != xattrs.end()) node.mode = mode_without_list(node.mode, list->value);
  return node;
}

}  // namespace dgfs::fuse
