// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/new_file.h"

#include "storage/file_mode.h"
#include "storage/names.h"

namespace dgfs::storage {
namespace {

using Lock = std::lock_guard<std::mutex>;

}  // namespace

MemoryNewFile::MemoryNewFile(std::shared_ptr<MemoryTree> tree, MemoryInodePtr directory,
                             std::uint32_t mode, const std::string& path, std::string name)
    : tree_(std::move(tree)),
      directory_(std::move(directory)),
      name_(std::move(name)),
      file_(tree_, tree_->make_inode(mode), path, MemoryFile::Access::kReadWrite) {}

Status MemoryNewFile::set_owner(std::uint32_t uid, std::uint32_t gid) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(file_.check_alive());
  auto& status = file_.inode()->status;
  status.uid = uid;
  status.gid = gid;
  status.change_time = tree_->now;
  return ok();
}

Status MemoryNewFile::set_mode(std::uint32_t mode) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(file_.check_alive());
  auto& status = file_.inode()->status;
  status.mode = (status.mode & kTypeMask) | (mode & kPermissionMask);
  status.change_time = tree_->now;
  return ok();
}

Status MemoryNewFile::set_times(std::optional<Time> access_time, Time modify_time) {
  DGFS_CHECK(check_time(modify_time, file_.path()));
  DGFS_CHECK(check_time(access_time.value_or(Time{}), file_.path()));
  const Lock lock(tree_->mutex);
  DGFS_CHECK(file_.check_alive());
  auto& status = file_.inode()->status;
  if (access_time) status.access_time = *access_time;
  status.modify_time = modify_time;
  status.change_time = tree_->now;
  return ok();
}

Status MemoryNewFile::set_xattr(std::string_view key, Bytes value) {
  DGFS_CHECK(check_no_nul(key, "attribute name", file_.path()));
  const Lock lock(tree_->mutex);
  DGFS_CHECK(file_.check_alive());
  auto& inode = *file_.inode();
  inode.xattrs.insert_or_assign(std::string(key), Buffer(value.begin(), value.end()));
  inode.status.change_time = tree_->now;
  return ok();
}

Status MemoryNewFile::remove_xattr(std::string_view key) {
  DGFS_CHECK(check_no_nul(key, "attribute name", file_.path()));
  const Lock lock(tree_->mutex);
  DGFS_CHECK(file_.check_alive());
  return remove_xattr_of(*file_.inode(), key, tree_->now, file_.path());
}

Status MemoryNewFile::link() {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(file_.check_alive());
  return tree_->add(*directory_, name_, file_.inode(), file_.path());
}

Status remove_xattr_of(MemoryInode& inode, std::string_view key, Time now,
                       const std::string& path) {
  const auto there = inode.xattrs.find(key);
  if (there == inode.xattrs.end()) {
    return Error(ErrorKind::kNotFound, 1132, "no such extended attribute").in_file(path);
  }
  inode.xattrs.erase(there);
  inode.status.change_time = now;
  return ok();
}

}  // namespace dgfs::storage
