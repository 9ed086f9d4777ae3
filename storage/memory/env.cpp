// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/env.h"

#include <algorithm>
#include <map>
#include <random>

#include "storage/file_mode.h"
#include "storage/memory/directory.h"
#include "storage/memory/file.h"
#include "storage/memory/tree.h"
#include "storage/names.h"

namespace dgfs::storage {
namespace {

using Lock = std::lock_guard<std::mutex>;

// More than one, so that code under test takes its concurrent paths.
constexpr unsigned kProcessorCount = 2;
constexpr std::uint64_t kProcessNumber = 4711;

class MemoryEnvImpl final : public MemoryEnv {
 public:
  explicit MemoryEnvImpl(std::uint64_t seed) : generator_(seed) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenOptions options) override;
  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory_path) override;
  Status publish(File& file, const std::string& path, std::uint32_t mode) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Result<FileStatus> status(const std::string& path) const override;
  Status make_directory(const std::string& path, std::uint32_t mode) override;
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Time now() const override;
  std::uint64_t monotonic_ns() const override;
  void random(MutableBytes out) override;
  std::optional<std::string> variable(const std::string& name) const override;
  unsigned processor_count() const override { return kProcessorCount; }
  std::uint32_t user_id() const override { return 0; }
  Caller caller() const override { return {}; }
  std::uint64_t process_id() const override { return kProcessNumber; }

  void crash(CrashLoss loss, std::uint64_t seed) override;
  std::unique_ptr<MemoryEnv> snapshot() const override;
  Status lose_unsynced(const std::string& path) override;
  void set_now(Time now) override;
  void set_variable(const std::string& name, std::optional<std::string> value) override;
  void set_capacity(std::uint64_t bytes) override;

 private:
  // The caller holds the mutex.
  Result<MemoryInodePtr> create(const std::string& path, std::uint32_t mode);
  Result<MemoryInodePtr> find_directory(const std::string& path) const;
  Status check_publishable(const MemoryFile* file, const std::string& path) const;

  std::shared_ptr<MemoryTree> tree_ = std::make_shared<MemoryTree>();
  // The mutex of the tree guards all below.
  std::mt19937_64 generator_;
  std::map<std::string, std::string> variables_;
  std::uint64_t monotonic_ns_ = 0;
};

Result<MemoryInodePtr> MemoryEnvImpl::create(const std::string& path, std::uint32_t mode) {
  DGFS_TRY(place, tree_->resolve_parent(path));
  MemoryInodePtr inode = tree_->make_inode(mode);
  DGFS_CHECK(tree_->add(*place.first, place.second, inode, path));
  return inode;
}

Result<MemoryInodePtr> MemoryEnvImpl::find_directory(const std::string& path) const {
  DGFS_TRY(inode, tree_->resolve(path));
  if (inode->is_directory()) return std::move(inode);
  return Error(ErrorKind::kNotDirectory, 1129, "is not a directory").in_file(path);
}

Result<std::unique_ptr<File>> MemoryEnvImpl::open(const std::string& path, OpenOptions options) {
  DGFS_CHECK(check_no_nul(path, "path", path));
  const Lock lock(tree_->mutex);
  const bool creates = options.mode == OpenOptions::Mode::kCreateNew;
  DGFS_TRY(inode,
           creates ? create(path, kTypeRegular | (0666 & ~kMemoryUmask)) : tree_->resolve(path));
  DGFS_CHECK(check_regular(*inode, path));
  const auto access = options.mode == OpenOptions::Mode::kRead ? MemoryFile::Access::kRead
                                                               : MemoryFile::Access::kReadWrite;
  return std::make_unique<MemoryFile>(tree_, inode, path, access);
}

Result<std::unique_ptr<File>> MemoryEnvImpl::create_unnamed(const std::string& directory_path) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(find_directory(directory_path));
  MemoryInodePtr inode = tree_->make_inode(kTypeRegular | 0600);
  inode->survives_crash = false;
  return std::make_unique<MemoryFile>(tree_, std::move(inode),
                                      join_path(directory_path, "(unnamed)"),
                                      MemoryFile::Access::kReadWrite);
}

Status MemoryEnvImpl::check_publishable(const MemoryFile* file, const std::string& path) const {
  if (file != nullptr && file->tree() == tree_.get()) return file->check_alive();
  return Error(ErrorKind::kInvalidArgument, 1130, "cannot publish a file of another environment")
      .in_file(path);
}

Status MemoryEnvImpl::publish(File& file, const std::string& path, std::uint32_t mode) {
  DGFS_CHECK(check_no_nul(path, "path", path));
  const Lock lock(tree_->mutex);
  auto* memory_file = dynamic_cast<MemoryFile*>(&file);
  DGFS_CHECK(check_publishable(memory_file, path));
  DGFS_TRY(place, tree_->resolve_parent(path));
  const MemoryInodePtr& inode = memory_file->inode();
  DGFS_CHECK(tree_->replace(*place.first, place.second, inode, path));
  inode->status.mode = kTypeRegular | (mode & kPermissionMask & ~kMemoryUmask);
  inode->survives_crash = true;
  inode->durable_content = inode->content;
  inode->content_changes.clear();
  make_names_durable(*place.first);
  memory_file->set_path(path);
  return ok();
}

Status MemoryEnvImpl::rename(const std::string& from, const std::string& to) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(source, tree_->resolve_parent(from));
  DGFS_TRY(target, tree_->resolve_parent(to));
  return tree_->rename(*source.first, source.second, *target.first, target.second, from);
}

Status MemoryEnvImpl::remove(const std::string& path) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(place, tree_->resolve_parent(path));
  return tree_->remove(*place.first, place.second, path);
}

Result<FileStatus> MemoryEnvImpl::status(const std::string& path) const {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, tree_->resolve(path));
  return inode->current_status();
}

Status MemoryEnvImpl::make_directory(const std::string& path, std::uint32_t mode) {
  const Lock lock(tree_->mutex);
  DGFS_CHECK(create(path, kTypeDirectory | (mode & kPermissionMask & ~kMemoryUmask)));
  return ok();
}

Result<std::unique_ptr<Directory>> MemoryEnvImpl::open_directory(const std::string& path) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, find_directory(path));
  return std::make_unique<MemoryDirectory>(tree_, inode, path);
}

Status MemoryEnvImpl::sync_directory(const std::string& path) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, find_directory(path));
  make_names_durable(*inode);
  return ok();
}

Time MemoryEnvImpl::now() const {
  const Lock lock(tree_->mutex);
  return tree_->now;
}

std::uint64_t MemoryEnvImpl::monotonic_ns() const {
  const Lock lock(tree_->mutex);
  return monotonic_ns_;
}

void MemoryEnvImpl::random(MutableBytes out) {
  const Lock lock(tree_->mutex);
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(generator_() >> 56);
}

std::optional<std::string> MemoryEnvImpl::variable(const std::string& name) const {
  const Lock lock(tree_->mutex);
  const auto variable = variables_.find(name);
  if (variable == variables_.end()) return std::nullopt;
  return variable->second;
}

void MemoryEnvImpl::crash(CrashLoss loss, std::uint64_t seed) {
  const Lock lock(tree_->mutex);
  tree_->crash(loss, seed);
}

std::unique_ptr<MemoryEnv> MemoryEnvImpl::snapshot() const {
  const Lock lock(tree_->mutex);
  auto taken = std::make_unique<MemoryEnvImpl>(0);
  taken->tree_ = tree_->snapshot();
  taken->generator_ = generator_;
  taken->variables_ = variables_;
  taken->monotonic_ns_ = monotonic_ns_;
  return taken;
}

Status MemoryEnvImpl::lose_unsynced(const std::string& path) {
  const Lock lock(tree_->mutex);
  DGFS_TRY(inode, tree_->resolve(path));
  inode->content_changes.clear();
  return ok();
}

void MemoryEnvImpl::set_now(Time now) {
  const Lock lock(tree_->mutex);
  // The monotonic clock follows, but only forwards.
  const auto elapsed_seconds = now.seconds - tree_->now.seconds;
  const auto elapsed_ns = elapsed_seconds * 1'000'000'000 + std::int64_t{now.nanoseconds} -
                          std::int64_t{tree_->now.nanoseconds};
  monotonic_ns_ += static_cast<std::uint64_t>(std::max<std::int64_t>(0, elapsed_ns));
  tree_->now = now;
}

void MemoryEnvImpl::set_variable(const std::string& name, std::optional<std::string> value) {
  const Lock lock(tree_->mutex);
  if (value) {
    variables_.insert_or_assign(name, std::move(*value));
  } else {
    variables_.erase(name);
  }
}

void MemoryEnvImpl::set_capacity(std::uint64_t bytes) {
  const Lock lock(tree_->mutex);
  tree_->capacity_bytes = bytes;
}

}  // namespace

std::unique_ptr<MemoryEnv> make_memory_env(std::uint64_t seed) {
  return std::make_unique<MemoryEnvImpl>(seed);
}

}  // namespace dgfs::storage
