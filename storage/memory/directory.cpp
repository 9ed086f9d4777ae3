// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reading of directories in memory; memory_directory_write.cpp has the other half.
#include "storage/memory/directory.h"

#include <algorithm>

#include "storage/memory/file.h"
#include "storage/names.h"

namespace dgfs::storage {
namespace {

using Lock = std::lock_guard<std::mutex>;

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
  std::vector<std::string> names;  // the sink may call back
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

}  // namespace dgfs::storage
