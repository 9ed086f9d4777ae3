// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/file.h"

#include <utility>

#include "storage/scatter.h"

namespace dgfs::storage {
namespace {

using Lock = std::lock_guard<std::mutex>;

constexpr std::uint64_t kSizeMax = ~std::uint64_t{0} >> 1;

}  // namespace

MemoryFile::MemoryFile(std::shared_ptr<MemoryTree> tree, MemoryInodePtr inode, std::string path,
                       Access access)
    : tree_(std::move(tree)),
      inode_(std::move(inode)),
      path_(std::move(path)),
      access_(access),
      crash_count_(tree_->crash_count) {
  ++inode_->open_count;
}

MemoryFile::~MemoryFile() {
  const Lock lock(tree_->mutex);
  if (crash_count_ != tree_->crash_count) return;  // the crash has closed the file
  unlock();
  --inode_->open_count;
  tree_->release_if_gone(*inode_);
}

Status MemoryFile::check_alive() const {
  if (crash_count_ == tree_->crash_count) return ok();
  return Error(ErrorKind::kIo, 1114, "was open when the system crashed").in_file(path_);
}

Status MemoryFile::check_writable() const {
  DGFS_CHECK(check_alive());
  if (access_ == Access::kReadWrite) return ok();
  return Error(ErrorKind::kIo, 1115, "is open for reading only").in_file(path_);
}

Result<std::size_t> MemoryFile::read_at(std::uint64_t offset_bytes, MutableBytes out) const {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return inode_->content.read(offset_bytes, out);
}

Result<std::size_t> MemoryFile::read_at(std::uint64_t offset_bytes,
                                        std::span<const MutableBytes> outs) const {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  if (outs.size() > kScatterSpansMax) {
    return Error(ErrorKind::kInvalidArgument, 1116, "too many buffers for one read").in_file(path_);
  }
  std::size_t done = 0;
  for (const MutableBytes& out : outs) {
    const std::size_t count = inode_->content.read(offset_bytes + done, out);
    done += count;
    if (count < out.size()) break;
  }
  return done;
}

Status MemoryFile::write_at(std::uint64_t offset_bytes, Bytes data) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_writable());
  return tree_->write(*inode_, offset_bytes, data, path_);
}

Result<std::uint64_t> MemoryFile::size() const {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return inode_->content.size_bytes();
}

Result<FileStatus> MemoryFile::status() const {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return inode_->current_status();
}

// Numbers of inodes are not used again, so they need no time of birth.
std::optional<FileIdentity> MemoryFile::identity() const {
  const Lock lock(tree_->mutex);
  return FileIdentity{inode_->status.inode, {}};
}

bool MemoryFile::may_be_open_elsewhere() {
  const Lock lock(tree_->mutex);
  return inode_->open_count > 1;
}

Status MemoryFile::truncate(std::uint64_t size_bytes) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_writable());
  if (size_bytes > kSizeMax) {
    return Error(ErrorKind::kIo, 1117, "no file is this large").in_file(path_);
  }
  tree_->resize(*inode_, size_bytes);
  return ok();
}

Status MemoryFile::preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_writable());
  return tree_->reserve(*inode_, begin_bytes, end_bytes, path_);
}

Status MemoryFile::punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_writable());
  tree_->punch(*inode_, begin_bytes, end_bytes);
  return ok();
}

Result<std::uint64_t> MemoryFile::free_bytes() const {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return tree_->free_bytes();
}

Status MemoryFile::sync() {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  make_content_durable(*inode_);
  return ok();
}

Status MemoryFile::lock() {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  if ((inode_->is_locked && !has_lock_) || inode_->shared_locks > (shares_lock_ ? 1 : 0)) {
    return locked_by_others();
  }
  unlock();
  inode_->is_locked = has_lock_ = true;
  return ok();
}

Status MemoryFile::lock_shared() {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  if (inode_->is_locked && !has_lock_) return locked_by_others();
  unlock();
  ++inode_->shared_locks;
  shares_lock_ = true;
  return ok();
}

Error MemoryFile::locked_by_others() const {
  return Error(ErrorKind::kBusy, 1190, "is locked by somebody else").in_file(path_);
}

void MemoryFile::unlock() {
  if (std::exchange(has_lock_, false)) inode_->is_locked = false;
  if (std::exchange(shares_lock_, false)) --inode_->shared_locks;
}

Result<DataSegment> MemoryFile::next_data(std::uint64_t offset_bytes) const {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return inode_->content.next_data(offset_bytes);
}

void MemoryFile::advise(storage::Access /*access*/, std::uint64_t /*offset_bytes*/,
                        std::uint64_t /*length_bytes*/) {}

Result<std::vector<Xattr>> MemoryFile::xattrs() const {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(check_alive());
  return xattrs_of(*inode_);
}

std::vector<Xattr> xattrs_of(const MemoryInode& inode) {
  std::vector<Xattr> list;
  for (const auto& [name, value] : inode.xattrs) list.push_back({name, value});
  return list;
}

}  // namespace dgfs::storage
