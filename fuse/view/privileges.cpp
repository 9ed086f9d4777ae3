// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/privileges.h"

#include <algorithm>
#include <vector>

#include "format/entry/access_list.h"
#include "format/entry/mode.h"
#include "fuse/caller.h"

namespace dgfs::fuse {
namespace {

// Root counts as a member of every group. Further groups are those of the process, which may have
// ended.
bool is_in_group(fuse_req_t request, std::uint32_t group) {
  const auto user = caller_ids(request);
  if (user && (user->uid == 0 || user->gid == group)) return true;
  std::vector<gid_t> groups(64);
  int count = fuse_req_getgroups(request, static_cast<int>(groups.size()), groups.data());
  if (count > static_cast<int>(groups.size())) {
    groups.resize(static_cast<std::size_t>(count));
    count = std::min(count, fuse_req_getgroups(request, count, groups.data()));
  }
  const auto end = groups.begin() + std::max(count, 0);
  return std::find(groups.begin(), end, group) != end;
}

Result<bool> has_capabilities(const view::View& view, std::uint64_t inode) {
  const auto value = view.xattr(inode, format::kCapabilityXattr);
  if (value) return true;
  if (value.error().kind() == ErrorKind::kNoAttribute) return false;
  return value.error();
}

}  // namespace

bool has_set_ids(std::uint32_t permissions) {
  return (permissions & (format::kSetUserId | format::kSetGroupId)) != 0;
}

std::uint32_t set_ids_to_clear(fuse_req_t request, const view::Attributes& file) {
  const auto user_id = file.mode & format::kSetUserId;
  const auto group_id = file.mode & format::kSetGroupId;
  if (group_id == 0) return user_id;
  const bool is_group_executable = (file.mode & format::kGroupExecute) != 0;
  const bool stays = !is_group_executable && is_in_group(request, file.gid);
  return stays ? user_id : user_id | group_id;
}

Status drop_privileges(fuse_req_t request, ViewFileSystem& mounted, std::uint64_t inode,
                       DropsSetIds drops_set_ids) {
  if (mounted.known.is_unprivileged(inode)) return ok();
  const auto grants = mounted.known.grants(inode);
  DGFS_TRY(attributes, mounted.view.attributes(inode));
  view::AttributeChange change;
  DGFS_TRY(is_capable, has_capabilities(mounted.view, inode));
  change.drops_capabilities = is_capable;
  const bool drops = drops_set_ids == DropsSetIds::kYes ||
                     (drops_set_ids == DropsSetIds::kUnlessRoot && has_set_ids(attributes.mode) &&
                      !is_from_root(request));
  if (drops) change.cleared_permissions = set_ids_to_clear(request, attributes);
  if (is_capable || change.cleared_permissions != 0) {
    DGFS_TRY(changed, mounted.view.set_attributes(inode, change));
    attributes = std::move(changed);
    mounted.forget_attributes(inode);
  }
  if (!has_set_ids(attributes.mode)) mounted.known.note_unprivileged(inode, grants);
  return ok();
}

}  // namespace dgfs::fuse
