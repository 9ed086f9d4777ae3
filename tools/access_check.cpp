// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Access control lists are those of the xattr "system.posix_acl_access" (linux/posix_acl_xattr.h):
//   version u32 (2), then entries of tag u16, permissions u16, id u32, sorted by tag and id.
#include "tools/access_check.h"

#include <optional>

#include "format/coding.h"
#include "format/mode.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kEntryBytes = 8;

enum Tag : std::uint16_t {
  kUser = 0x02,
  kOwningGroup = 0x04,
  kGroup = 0x08,
  kMask = 0x10,
  kOther = 0x20,
};

struct AclEntry {
  std::uint16_t tag = 0;
  std::uint16_t permissions = 0;
  std::uint32_t id = 0;
};

std::vector<AclEntry> entries_of(Bytes acl) {
  std::vector<AclEntry> entries;
  for (std::size_t at = kHeaderBytes; at + kEntryBytes <= acl.size(); at += kEntryBytes) {
    const Bytes entry = acl.subspan(at, kEntryBytes);
    entries.push_back({.tag = format::load<std::uint16_t>(entry, 0),
                       .permissions = format::load<std::uint16_t>(entry, 2),
                       .id = format::load<std::uint32_t>(entry, 4)});
  }
  return entries;
}

std::vector<AclEntry> access_list(const reader::Image& image, const reader::Node& node) {
  if (!node.xattrs.present()) return {};
  const Result<std::vector<Xattr>> xattrs = image.xattrs(node);
  if (!xattrs) return {};
  for (const Xattr& xattr : xattrs.value()) {
    if (xattr.name == "system.posix_acl_access") return entries_of(xattr.value);
  }
  return {};
}

/// For who is not the owner. A user's own entry decides; else any entry of the user's groups may
/// grant, and the entry for others counts only where none of them fits. The mask takes away from
/// all but others.
bool list_grants(const std::vector<AclEntry>& list, const reader::Node& node,
                 const storage::Caller& caller, std::uint32_t bits) {
  std::uint32_t mask = 7;
  for (const AclEntry& entry : list) {
    if (entry.tag == kMask) mask = entry.permissions;
  }
  const auto grants = [bits](const AclEntry& entry) { return (entry.permissions & bits) == bits; };
  bool in_some_group = false;
  for (const AclEntry& entry : list) {
    if (entry.tag == kUser && entry.id == caller.user_id) {
      return grants(entry) && (mask & bits) == bits;
    }
    if (entry.tag == kOwningGroup || entry.tag == kGroup) {
      const std::uint32_t group = entry.tag == kGroup ? entry.id : node.gid;
      if (!caller.is_in_group(group)) continue;
      if (grants(entry)) return (mask & bits) == bits;
      in_some_group = true;
    }
    if (entry.tag == kOther) return !in_some_group && grants(entry);
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
  // As the kernel, which does not look for a list where the group's bits are all clear.
  if ((node.mode & 0070) != 0) {
    const std::vector<AclEntry> list = access_list(image, node);
    if (!list.empty()) return list_grants(list, node, caller, bits);
  }
  return (node.mode >> (caller.is_in_group(node.gid) ? 3 : 0) & bits) != 0;
}

}  // namespace dgfs::tools
