// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/directory.h"

#include <algorithm>

#include "storage/file_mode.h"
#include "storage/memory/file.h"
#include "storage/memory/new_file.h"
#include "storage/names.h"

namespace dgfs::storage {
namespace {

using Lock = std::lock_guard<std::mutex>;

constexpr std::uint32_t created_mode(std::uint32_t type, std::uint32_t mode) {
  return type | (mode & kPermissionMask & ~kMemoryUmask);
}

}  // namespace

MemoryDirectory::MemoryDirectory(std::shared_ptr<MemoryTree> tree, MemoryInodePtr inode,
                                 std::string path)
    : tree_(std::move(tree)),
      inode_(std::move(inode)),
      path_(std::move(path)),
      crash_count_(tree_->crash_count) {}

Status check_regular(const MemoryInode& inode, const std::string& path) {
  if (inode.is_regular()) return ok();
  if (inode.is_directory()) {
    return Error(ErrorKind::kIsDirectory, 1118, "is a directory, not a file").in_file(path);
  }
  if (inode.is_link()) {
    return Error(ErrorKind::kLoop, 1119, "is a symbolic link").in_file(path);
  }
  return Error(ErrorKind::kInvalidArgument, 1120, "is not a regular file").in_file(path);
}

Status MemoryDirectory::check_alive() const {
  if (crash_count_ == tree_->crash_count) return ok();
  return Error(ErrorKind::kIo, 1121, "was open when the system crashed").in_file(path_);
}

std::string MemoryDirectory::path_of(std::string_view name) const { return join_path(path_, name); }

Result<MemoryInodePtr> MemoryDirectory::entry(std::string_view name) const {
  DGFS_CHECK(check_name_or_self(name, path_));
  DGFS_CHECK(check_alive());
  if (name.empty()) return inode_;
  return tree_->find(*inode_, name, path_of(name));
}

Status MemoryDirectory::each_name(const NameSink& sink) const {
  std::vector<std::string> names;  // a copy, since the sink may call this directory
  {
    const Lock lock(tree_->mutex);
    DGFS_CHECK(check_alive());
    for (const auto& [name, inode] : inode_->entries) names.push_back(name);
  }
  static_cast<void>(std::all_of(names.begin(), names.end(), sink));
  return ok();
}

Result<FileStatus> MemoryDirectory::status(std::string_view name) const {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  return inode->current_status();
}

Result<std::unique_ptr<Directory>> MemoryDirectory::open_directory(std::string_view name) const {
  DGFS_CHECK(check_name(name, path_));
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  if (!inode->is_directory()) {
    return Error(ErrorKind::kNotDirectory, 1122, "is not a directory").in_file(path_of(name));
  }
  return std::make_unique<MemoryDirectory>(tree_, inode, path_of(name));
}

Result<std::unique_ptr<File>> MemoryDirectory::open_file(std::string_view name) const {
  DGFS_CHECK(check_name(name, path_));
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  DGFS_CHECK(check_regular(*inode, path_of(name)));
  return std::make_unique<MemoryFile>(tree_, inode, path_of(name), MemoryFile::Access::kRead);
}

Result<std::string> MemoryDirectory::read_link(std::string_view name) const {
  DGFS_CHECK(check_name(name, path_));
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  if (inode->is_link()) return inode->link_target;
  return Error(ErrorKind::kInvalidArgument, 1123, "is not a symbolic link").in_file(path_of(name));
}

Result<std::vector<Xattr>> MemoryDirectory::xattrs(std::string_view name) const {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  return xattrs_of(*inode);
}

Result<MemoryInodePtr> MemoryDirectory::make_entry(std::string_view name, std::uint32_t mode) {
  DGFS_CHECK(check_name(name, path_));
  DGFS_CHECK(check_alive());
  MemoryInodePtr inode = tree_->make_inode(mode);
  DGFS_CHECK(tree_->add(*inode_, name, inode, path_of(name)));
  return inode;
}

Status MemoryDirectory::make_directory(std::string_view name, std::uint32_t mode) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(make_entry(name, created_mode(kTypeDirectory, mode)));
  return ok();
}

Result<std::unique_ptr<File>> MemoryDirectory::create_file(std::string_view name,
                                                           std::uint32_t mode) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, make_entry(name, created_mode(kTypeRegular, mode)));
  return std::make_unique<MemoryFile>(tree_, inode, path_of(name), MemoryFile::Access::kReadWrite);
}

Result<std::unique_ptr<NewFile>> MemoryDirectory::create_unnamed(std::string_view name,
                                                                 std::uint32_t mode) {
  DGFS_CHECK(check_name(name, path_));
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return std::make_unique<MemoryNewFile>(tree_, inode_, created_mode(kTypeRegular, mode),
                                         path_of(name), std::string(name));
}

Status MemoryDirectory::make_symlink(std::string_view name, std::string_view target) {
  DGFS_CHECK(check_no_nul(target, "link target", path_of(name)));
  if (target.empty()) {
    return Error(ErrorKind::kNotFound, 1124, "a symbolic link needs a target")
        .in_file(path_of(name));
  }
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, make_entry(name, kTypeLink | 0777));
  inode->link_target = target;
  return ok();
}

Status MemoryDirectory::make_link(const Directory& existing_directory,
                                  std::string_view existing_name, std::string_view name) {
  DGFS_CHECK(check_name(existing_name, existing_directory.path()));
  DGFS_CHECK(check_name(name, path_));
  const auto* from = dynamic_cast<const MemoryDirectory*>(&existing_directory);
  if (from == nullptr || from->tree_ != tree_) {
    return Error(ErrorKind::kInvalidArgument, 1125, "cannot link across environments")
        .in_file(path_of(name));
  }
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  DGFS_TRY(inode, from->entry(existing_name));
  if (inode->is_directory()) {
    return Error(ErrorKind::kPermission, 1126, "a directory cannot have a second name")
        .in_file(path_of(name));
  }
  return tree_->add(*inode_, name, inode, path_of(name));
}

Status MemoryDirectory::make_node(std::string_view name, std::uint32_t mode, std::uint64_t rdev) {
  if (!is_node(mode)) {
    return Error(ErrorKind::kInvalidArgument, 1127, "not the type of a FIFO, socket or device")
        .in_file(path_of(name));
  }
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, make_entry(name, created_mode(mode & kTypeMask, mode)));
  const bool is_device = is_type(mode, kTypeCharacter) || is_type(mode, kTypeBlock);
  if (is_device) inode->status.rdev = rdev;
  return ok();
}

Status MemoryDirectory::set_owner(std::string_view name, std::uint32_t uid, std::uint32_t gid) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  inode->status.uid = uid;
  inode->status.gid = gid;
  inode->status.change_time = tree_->now;
  return ok();
}

Status MemoryDirectory::set_mode(std::string_view name, std::uint32_t mode) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  if (inode->is_link()) {
    return Error(ErrorKind::kInvalidArgument, 1128, "a symbolic link has no mode")
        .in_file(path_of(name));
  }
  inode->status.mode = (inode->status.mode & kTypeMask) | (mode & kPermissionMask);
  inode->status.change_time = tree_->now;
  return ok();
}

Status MemoryDirectory::set_times(std::string_view name, std::optional<Time> access_time,
                                  Time modify_time) {
  DGFS_CHECK(check_time(modify_time, path_));
  DGFS_CHECK(check_time(access_time.value_or(Time{}), path_));
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  if (access_time) inode->status.access_time = *access_time;
  inode->status.modify_time = modify_time;
  inode->status.change_time = tree_->now;
  return ok();
}

Status MemoryDirectory::set_xattr(std::string_view name, std::string_view key, Bytes value) {
  DGFS_CHECK(check_no_nul(key, "attribute name", path_of(name)));
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  inode->xattrs.insert_or_assign(std::string(key), Buffer(value.begin(), value.end()));
  inode->status.change_time = tree_->now;
  return ok();
}

Status MemoryDirectory::remove_xattr(std::string_view name, std::string_view key) {
  DGFS_CHECK(check_no_nul(key, "attribute name", path_of(name)));
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, entry(name));
  return remove_xattr_of(*inode, key, tree_->now, path_of(name));
}

Status MemoryDirectory::remove(std::string_view name) {
  DGFS_CHECK(check_name(name, path_));
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return tree_->remove(*inode_, name, path_of(name));
}

Status MemoryDirectory::sync() {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  make_names_durable(*inode_);
  return ok();
}

}  // namespace dgfs::storage
