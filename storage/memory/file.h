// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An open file of a MemoryEnv.
#pragma once

#include <memory>
#include <string>

#include "storage/memory/tree.h"
#include "storage/original_file.h"

namespace dgfs::storage {

class MemoryFile final : public File, public OriginalFile {
 public:
  enum class Access : std::uint8_t { kRead, kReadWrite };

  /// The caller holds the mutex of `tree`.
  MemoryFile(std::shared_ptr<MemoryTree> tree, MemoryInodePtr inode, std::string path,
             Access access);
  ~MemoryFile() override;

  Result<std::size_t> read_at(std::uint64_t offset_bytes, MutableBytes out) const override;
  Result<std::size_t> read_at(std::uint64_t offset_bytes,
                              std::span<const MutableBytes> outs) const override;
  Status write_at(std::uint64_t offset_bytes, Bytes data) override;
  Result<std::uint64_t> size() const override;
  Result<FileStatus> status() const override;
  std::optional<FileIdentity> identity() const override;
  Status truncate(std::uint64_t size_bytes) override;
  Status preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) override;
  Status punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) override;
  Result<std::uint64_t> free_bytes() const override;
  Status sync() override;
  Status lock() override;
  Status lock_shared() override;
  bool may_be_open_elsewhere() override;
  Result<DataSegment> next_data(std::uint64_t offset_bytes) const override;
  void advise(storage::Access access, std::uint64_t offset_bytes,
              std::uint64_t length_bytes) override;
  Result<std::vector<Xattr>> xattrs() const override;
  const std::string& path() const override { return path_; }

  [[nodiscard]] const MemoryTree* tree() const noexcept { return tree_.get(); }
  [[nodiscard]] const MemoryInodePtr& inode() const noexcept { return inode_; }
  void set_path(std::string path) { path_ = std::move(path); }
  /// kIo after a crash. The caller holds the mutex.
  [[nodiscard]] Status check_alive() const;

 private:
  [[nodiscard]] Status check_writable() const;
  [[nodiscard]] Error locked_by_others() const;
  void unlock();

  std::shared_ptr<MemoryTree> tree_;
  MemoryInodePtr inode_;
  std::string path_;
  Access access_;
  bool has_lock_ = false;
  bool shares_lock_ = false;
  std::uint64_t crash_count_;
};

/// Sorted by name. The caller holds the mutex.
[[nodiscard]] std::vector<Xattr> xattrs_of(const MemoryInode& inode);

}  // namespace dgfs::storage
