// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tree of inodes behind a MemoryEnv: names, paths, clock and capacity.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "storage/memory/inode.h"

namespace dgfs::storage {

/// `mutex` guards everything else: the caller of a method holds it. `path` parameters that follow a
/// name are for messages.
class MemoryTree {
 public:
  MemoryTree();

  mutable std::mutex mutex;
  Time now;
  std::uint64_t capacity_bytes = ~std::uint64_t{0};
  std::uint64_t crash_count = 0;  // files and directories opened before the last crash are dead

  [[nodiscard]] const MemoryInodePtr& root() const noexcept { return root_; }
  /// A new inode without a name, owned by 0:0, all times now.
  [[nodiscard]] MemoryInodePtr make_inode(std::uint32_t mode);

  /// The inode for which `path` stands. Errors: kNotFound, kNotDirectory, kLoop (40 links).
  [[nodiscard]] Result<MemoryInodePtr> resolve(std::string_view path) const;
  /// The directory that holds the last component of `path`, and that component, unresolved.
  [[nodiscard]] Result<std::pair<MemoryInodePtr, std::string>> resolve_parent(
      std::string_view path) const;
  /// kNotFound if there is no such entry.
  [[nodiscard]] Result<MemoryInodePtr> find(const MemoryInode& directory, std::string_view name,
                                            const std::string& path) const;

  /// Adds an entry. kExists; kNotFound if the directory has been removed.
  [[nodiscard]] Status add(MemoryInode& directory, std::string_view name,
                           const MemoryInodePtr& inode, const std::string& path);
  /// Removes an entry; a directory must be empty (kIo).
  [[nodiscard]] Status remove(MemoryInode& directory, std::string_view name,
                              const std::string& path);
  /// rename(2) of an entry.
  [[nodiscard]] Status rename(MemoryInode& from, std::string_view from_name, MemoryInode& to,
                              std::string_view to_name, const std::string& path);
  /// Gives `inode` a name; replaces an entry of that name.
  [[nodiscard]] Status replace(MemoryInode& directory, std::string_view name,
                               const MemoryInodePtr& inode, const std::string& path);

  /// Errors: kNoSpace, with nothing written.
  [[nodiscard]] Status write(MemoryInode& inode, std::uint64_t offset_bytes, Bytes data,
                             const std::string& path);
  void resize(MemoryInode& inode, std::uint64_t size_bytes);
  void punch(MemoryInode& inode, std::uint64_t begin_bytes, std::uint64_t end_bytes);
  [[nodiscard]] Status reserve(MemoryInode& inode, std::uint64_t begin_bytes,
                               std::uint64_t end_bytes, const std::string& path);
  /// Free capacity, in whole pages.
  [[nodiscard]] std::uint64_t free_bytes() const;
  /// Gives back the space of an inode that has no name and that no File has open.
  void release_if_gone(MemoryInode& inode);

  void crash(CrashLoss loss, std::uint64_t seed);
  /// Another tree with copies of all inodes that have names, all of them durable.
  [[nodiscard]] std::shared_ptr<MemoryTree> snapshot() const;

 private:
  [[nodiscard]] Status check_replaceable(const MemoryInode& directory, std::string_view name,
                                         const MemoryInode& by, const std::string& path) const;
  [[nodiscard]] Status charge(MemoryInode& inode, std::uint64_t pages, const std::string& path);
  void charge_anew(MemoryInode& inode);
  void set_entry(MemoryInode& directory, std::string_view name, const MemoryInodePtr& inode,
                 std::uint64_t change_id);

  MemoryInodePtr root_;
  std::uint64_t next_inode_ = 1;
  std::uint64_t next_change_id_ = 1;
  std::uint64_t charged_pages_ = 0;
};

}  // namespace dgfs::storage
