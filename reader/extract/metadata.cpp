// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/metadata.h"

#include "reader/image.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/entry/access_list.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

constexpr std::uint32_t kSetIdMask = format::kSetUserId | format::kSetGroupId;
constexpr std::uint32_t kGroupMask = 070;
constexpr unsigned kGroupShift = 3;

// An object by its name in a directory, with the methods of a NewFile.
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

bool is_acl(const Xattr& xattr) { return format::is_access_list_xattr(xattr.name); }

// Whether an ordinary user may set the xattr on files of his own.
bool is_open_to_all(const Xattr& xattr) { return xattr.name.starts_with("user.") || is_acl(xattr); }

constexpr std::string_view kCapability = "security.capability";

template <class Object>
class Restorer {
 public:
  Restorer(const Image& image, const Node& node, Object& object, const RestoreChoice& choice,
           const LoseAttribute& lose)
      : image_(image), node_(node), object_(object), choice_(choice), lose_(lose) {}

  Status run() {
    if (choice_.privileged) {
      DGFS_CHECK(restore_owner());
    }
    DGFS_CHECK(restore_xattrs());
    if (!format::is_symlink(node_.mode)) {
      DGFS_CHECK(restore_mode());
    }
    return settle(AttributeKind::kTimes, "times", object_.set_times(node_.atime, node_.mtime));
  }

 private:
  Status restore_owner() {
    auto set = object_.set_owner(node_.uid, node_.gid);
    is_owner_lost_ = !set;
    return settle(AttributeKind::kOwner, "owner", std::move(set));
  }

  Status restore_xattrs() {
    const auto xattrs = image_.xattrs(node_);
    if (!xattrs) return lose_unreadable(xattrs.assume_error());
    for (const auto& xattr : xattrs.assume_value()) {
      DGFS_CHECK(is_acl(xattr) ? restore_acl(xattr) : restore_xattr(xattr));
    }
    if (!choice_.acls || format::is_symlink(node_.mode)) return ok();
    return remove_inherited_acls();
  }

  Status lose_unreadable(const Error& error) {
    if (!choice_.xattrs && !choice_.acls) return ok();
    return lose_({AttributeKind::kAll, "xattrs"},
                 prefixed("cannot read extended attributes: ", error));
  }

  Status restore_xattr(const Xattr& xattr) {
    if (!choice_.xattrs || (!choice_.privileged && !is_open_to_all(xattr))) return ok();
    if (xattr.name == kCapability && is_owner_lost_) {
      return lose_({AttributeKind::kOwner, xattr.name},
                   Error(ErrorKind::kPermission, 3153,
                         "capabilities are left out, because the owner differs"));
    }
    return settle(AttributeKind::kXattr, xattr.name, object_.set_xattr(xattr.name, xattr.value));
  }

  Status restore_acl(const Xattr& xattr) {
    auto set = choice_.acls ? object_.set_xattr(xattr.name, xattr.value) : Status(ok());
    if (choice_.acls && set) {
      restored_acls_.push_back(xattr.name);
    } else if (xattr.name == format::kAccessListXattr) {
      const auto list = format::parse_access_list(xattr.value);
      group_bits_ = list ? format::owning_group_of(*list) : std::optional(0U);
    }
    return settle(AttributeKind::kAcl, xattr.name, std::move(set));
  }

  // A default ACL of the destination gives each new object an ACL that is not in the image.
  Status remove_inherited_acls() {
    const auto present = xattrs_of(object_);
    if (!present) return settle(AttributeKind::kAcl, "inherited ACLs", present.assume_error());
    for (const auto& xattr : present.assume_value()) {
      if (!is_acl(xattr) || std::ranges::count(restored_acls_, xattr.name) != 0) continue;
      DGFS_CHECK(settle(AttributeKind::kAcl, xattr.name, object_.remove_xattr(xattr.name)));
    }
    return ok();
  }

  Status restore_mode() {
    std::uint32_t mode = node_.mode & format::kPermissionMask;
    if (group_bits_) mode &= ~kGroupMask | *group_bits_ << kGroupShift;
    const auto unsafe = unsafe_bits(mode);
    const auto bits = unsafe ? unsafe.assume_value() : kSetIdMask;
    DGFS_CHECK(settle(AttributeKind::kMode, "mode", object_.set_mode(mode & ~bits)));
    if (!unsafe) return settle(AttributeKind::kOwner, "set-id bits", unsafe.assume_error());
    if ((mode & bits) == 0 || !is_owner_lost_) return ok();
    return lose_(
        {AttributeKind::kOwner, "set-id bits"},
        Error(ErrorKind::kPermission, 3154, "set-id bits are left out, because the owner differs"));
  }

  // Set-id bits that would let the program run with the rights of another owner or group than in
  // the image, because the owner could not be restored. Errors: the owner of the new object is
  // unknown.
  Result<std::uint32_t> unsafe_bits(std::uint32_t mode) {
    if (format::is_directory(node_.mode) || (mode & kSetIdMask) == 0) return std::uint32_t{0};
    DGFS_TRY(status, status_of(object_));
    return (status.uid != node_.uid ? format::kSetUserId : 0) |
           (status.gid != node_.gid ? format::kSetGroupId : 0);
  }

  // Removes the path from an error: it names a temporary file.
  Status settle(AttributeKind kind, std::string_view name, Status done) {
    if (done) return ok();
    const auto& error = done.assume_error();
    return lose_({kind, std::string(name)},
                 Error(error.kind(), error.code(), error.text()).with_errno(error.os_errno()));
  }

  const Image& image_;
  const Node& node_;
  Object& object_;
  const RestoreChoice& choice_;
  const LoseAttribute& lose_;
  bool is_owner_lost_ = false;
  std::vector<std::string> restored_acls_;
  std::optional<std::uint32_t> group_bits_;  // from an ACL that is not restored
};

}  // namespace

Status restore_metadata(const Image& image, const Node& node, storage::Directory& directory,
                        std::string_view name, const RestoreChoice& choice,
                        const LoseAttribute& lose) {
  NamedObject object(directory, name);
  return Restorer(image, node, object, choice, lose).run();
}

Status restore_metadata(const Image& image, const Node& node, storage::NewFile& file,
                        const RestoreChoice& choice, const LoseAttribute& lose) {
  return Restorer(image, node, file, choice, lose).run();
}

}  // namespace dgfs::reader
