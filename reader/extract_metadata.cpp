// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract_metadata.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "format/limits.h"
#include "format/mode.h"

namespace dgfs::reader {
namespace {

constexpr std::uint32_t kSetUserId = 04000;
constexpr std::uint32_t kSetGroupId = 02000;
constexpr std::uint32_t kSetIdMask = kSetUserId | kSetGroupId;

// An object by its name in a directory, with the calls of a NewFile.
class NamedObject {
 public:
  NamedObject(storage::Directory& directory, std::string_view name)
      : directory_(directory), name_(name) {}

  auto status() const { return directory_.status(name_); }
  auto xattrs() const { return directory_.xattrs(name_); }
  Status set_owner(std::uint32_t uid, std::uint32_t gid) {
    return directory_.set_owner(name_, uid, gid);
  }
  Status set_mode(std::uint32_t mode) { return directory_.set_mode(name_, mode); }
  Status set_times(std::optional<Time> access_time, Time modify_time) {
    return directory_.set_times(name_, access_time, modify_time);
  }
  Status set_xattr(std::string_view key, Bytes value) {
    return directory_.set_xattr(name_, key, value);
  }
  Status remove_xattr(std::string_view key) { return directory_.remove_xattr(name_, key); }

 private:
  storage::Directory& directory_;
  std::string_view name_;
};

auto status_of(const NamedObject& object) { return object.status(); }
auto status_of(storage::NewFile& file) { return file.content().status(); }
auto xattrs_of(const NamedObject& object) { return object.xattrs(); }
auto xattrs_of(storage::NewFile& file) { return file.content().xattrs(); }

bool is_acl(const Xattr& xattr) { return xattr.name.starts_with("system.posix_acl_"); }

// What an ordinary user may set on his own files.
bool is_open_to_all(const Xattr& xattr) { return xattr.name.starts_with("user.") || is_acl(xattr); }

// A default ACL of the destination gives each object made there an ACL that the image knows
// nothing of.
template <class Object>
Status remove_inherited_acls(const std::vector<Xattr>& wanted, Object& object) {
  DGFS_TRY(present, xattrs_of(object));
  for (const auto& xattr : present) {
    const auto is_same = [&](const Xattr& other) { return other.name == xattr.name; };
    if (!is_acl(xattr) || std::any_of(wanted.begin(), wanted.end(), is_same)) continue;
    DGFS_CHECK(object.remove_xattr(xattr.name));
  }
  return ok();
}

template <class Object>
Status restore_xattrs(const Image& image, const Node& node, Object& object, bool privileged) {
  DGFS_TRY(xattrs, image.xattrs(node));
  for (const auto& xattr : xattrs) {
    if (!privileged && !is_open_to_all(xattr)) continue;
    DGFS_CHECK(object.set_xattr(xattr.name, xattr.value));
  }
  return format::is_symlink(node.mode) ? Status(ok()) : remove_inherited_acls(xattrs, object);
}

// A program that would run with the rights of another owner or group than the image says, because
// the owner could not be restored, does not get to do so.
template <class Object>
Result<std::uint32_t> restorable_mode(const Node& node, Object& object) {
  std::uint32_t mode = node.mode & format::kPermissionMask;
  if (format::is_directory(node.mode) || (mode & kSetIdMask) == 0) return mode;
  DGFS_TRY(status, status_of(object));
  if (status.uid != node.uid) mode &= ~kSetUserId;
  if (status.gid != node.gid) mode &= ~kSetGroupId;
  return mode;
}

template <class Object>
Status restore(const Image& image, const Node& node, Object& object, bool privileged) {
  if (privileged) {
    DGFS_CHECK(object.set_owner(node.uid, node.gid));
  }
  DGFS_CHECK(restore_xattrs(image, node, object, privileged));
  if (!format::is_symlink(node.mode)) {
    DGFS_TRY(mode, restorable_mode(node, object));
    DGFS_CHECK(object.set_mode(mode));
  }
  return object.set_times(node.atime, node.mtime);
}

}  // namespace

Status restore_metadata(const Image& image, const Node& node, storage::Directory& directory,
                        std::string_view name, bool privileged) {
  NamedObject object(directory, name);
  return restore(image, node, object, privileged);
}

Status restore_metadata(const Image& image, const Node& node, storage::NewFile& file,
                        bool privileged) {
  return restore(image, node, file, privileged);
}

}  // namespace dgfs::reader
