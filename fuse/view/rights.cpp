// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/rights.h"

#include <algorithm>
#include <vector>

#include "format/entry/mode.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint32_t kSetUserIdBit = 04000;
constexpr std::uint32_t kSetGroupIdBit = 02000;
constexpr std::uint32_t kGroupExecuteBit = 010;

// As root is in all. Further groups are those of the process, which may have ended.
bool is_in_group(fuse_req_t request, std::uint32_t group) {
  const auto* const user = fuse_req_ctx(request);
  if (user->uid == 0 || user->gid == group) return true;
  std::vector<gid_t> groups(64);
  int count = fuse_req_getgroups(request, static_cast<int>(groups.size()), groups.data());
  if (count > static_cast<int>(groups.size())) {
    groups.resize(static_cast<std::size_t>(count));
    count = std::min(count, fuse_req_getgroups(request, count, groups.data()));
  }
  const auto end = groups.begin() + std::max(count, 0);
  return std::find(groups.begin(), end, group) != end;
}

}  // namespace

bool has_set_ids(std::uint32_t permissions) {
  return (permissions & (kSetUserIdBit | kSetGroupIdBit)) != 0;
}

std::uint32_t without_set_ids(fuse_req_t request, const view::Attributes& file) {
  auto permissions = file.mode & format::kPermissionMask & ~kSetUserIdBit;
  if ((permissions & kSetGroupIdBit) == 0) return permissions;
  const bool is_group_executable = (permissions & kGroupExecuteBit) != 0;
  const bool stays = !is_group_executable && is_in_group(request, file.gid);
  return stays ? permissions : permissions & ~kSetGroupIdBit;
}

Result<bool> take_capabilities(view::View& view, std::uint64_t inode) {
  const auto removed = view.remove_xattr(inode, kCapabilityXattr);
  if (removed) return true;
  if (removed.error().kind() == ErrorKind::kNoAttribute) return false;
  return removed.error();
}

Status take_rights(fuse_req_t request, ViewFileSystem& mounted, std::uint64_t inode,
                   bool takes_set_ids) {
  if (mounted.known.is_plain(inode)) return ok();
  const auto grants = mounted.known.grants(inode);
  DGFS_TRY(attributes, mounted.view.attributes(inode));
  const auto permissions = attributes.mode & format::kPermissionMask;
  DGFS_TRY(is_changed, take_capabilities(mounted.view, inode));
  auto left = permissions;
  if (takes_set_ids && has_set_ids(permissions)) left = without_set_ids(request, attributes);
  if (left != permissions) {
    view::AttributeChange change;
    change.permissions = left;
    DGFS_CHECK(mounted.view.set_attributes(inode, change));
  }
  if (is_changed || left != permissions) mounted.forget_attributes(inode);
  if (!has_set_ids(left)) mounted.known.note_plain(inode, grants);
  return ok();
}

}  // namespace dgfs::fuse
