// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/find/access_check.h"

#include <optional>

#include "format/entry/access_list.h"
#include "format/entry/mode.h"

namespace dgfs::tools {
namespace {

using format::AccessList;
using format::AccessTag;

// nullopt: there is no list. As in the kernel, a malformed list grants nothing.
std::optional<AccessList> access_list(const reader::Image& image, const reader::Node& node) {
  if (!node.xattrs.present()) return {};
  const Result<std::vector<Xattr>> xattrs = image.xattrs(node);
  if (!xattrs) return {};
  for (const Xattr& xattr : xattrs.value()) {
    if (xattr.name != format::kAccessListXattr) continue;
    return format::parse_access_list(xattr.value).value_or(AccessList{});
  }
  return {};
}

/// Decides for a user who is not the owner. The user's own entry in the list decides. Otherwise any
/// entry of the user's groups may grant, and the entry for others counts only if none of them
/// matches. The mask restricts all entries except that for others.
bool list_grants(const AccessList& list, const reader::Node& node, const storage::Caller& caller,
                 std::uint32_t bits) {
  const std::uint32_t mask = format::mask_of(list);
  const auto grants = [bits](const format::AccessEntry& entry) {
    return (entry.permissions & bits) == bits;
  };
  bool in_some_group = false;
  for (const auto& entry : list) {
    if (entry.tag == AccessTag::kUser && entry.id == caller.user_id) {
      return grants(entry) && (mask & bits) == bits;
    }
    if (entry.tag == AccessTag::kOwningGroup || entry.tag == AccessTag::kGroup) {
      const std::uint32_t group = entry.tag == AccessTag::kGroup ? entry.id : node.gid;
      if (!caller.is_in_group(group)) continue;
      if (grants(entry)) return (mask & bits) == bits;
      in_some_group = true;
    }
    if (entry.tag == AccessTag::kOther) return !in_some_group && grants(entry);
  }
  return false;
}

}  // namespace

bool may_access(const reader::Image& image, const reader::Node& node, const storage::Caller& caller,
                Access wanted) {
  const bool stored = format::is_regular(node.mode) || format::is_directory(node.mode);
  if (wanted == Access::kWrite && stored) return false;
  const auto bits = static_cast<std::uint32_t>(wanted);
  if (caller.user_id == 0) {
    return wanted != Access::kExecute || format::is_directory(node.mode) || (node.mode & 0111) != 0;
  }
  if (caller.user_id == node.uid) return (node.mode >> 6 & bits) != 0;
  // Like the kernel, which ignores the list if all group bits are clear.
  if ((node.mode & 0070) != 0) {
    const auto list = access_list(image, node);
    if (list) return list_grants(*list, node, caller, bits);
  }
  return (node.mode >> (caller.is_in_group(node.gid) ? 3 : 0) & bits) != 0;
}

}  // namespace dgfs::tools
