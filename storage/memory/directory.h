// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An open directory of a MemoryEnv.
#pragma once

#include <memory>
#include <string>

#include "storage/directory.h"
#include "storage/memory/tree.h"

namespace dgfs::storage {

/// Bits that are cleared in the modes of new files and directories; the usual umask.
inline constexpr std::uint32_t kMemoryUmask = 022;

class MemoryDirectory final : public Directory {
 public:
  /// The caller holds the mutex of `tree`.
  MemoryDirectory(std::shared_ptr<MemoryTree> tree, MemoryInodePtr inode, std::string path);

  Status each_name(const NameSink& sink) const override;
  Result<FileStatus> status(std::string_view name) const override;
  Result<std::unique_ptr<Directory>> open_directory(std::string_view name) const override;
  Result<std::unique_ptr<File>> open_file(std::string_view name) const override;
  Result<std::string> read_link(std::string_view name) const override;
  Result<std::vector<Xattr>> xattrs(std::string_view name) const override;

  Status make_directory(std::string_view name, std::uint32_t mode) override;
  Result<std::unique_ptr<File>> create_file(std::string_view name, std::uint32_t mode) override;
  Result<std::unique_ptr<NewFile>> create_unnamed(std::string_view name,
                                                  std::uint32_t mode) override;
  Status make_symlink(std::string_view name, std::string_view target) override;
  Status make_link(const Directory& existing_directory, std::string_view existing_name,
                   std::string_view name) override;
  Status make_node(std::string_view name, std::uint32_t mode, std::uint64_t rdev) override;
  Status set_owner(std::string_view name, std::uint32_t uid, std::uint32_t gid) override;
  Status set_mode(std::string_view name, std::uint32_t mode) override;
  Status set_times(std::string_view name, std::optional<Time> access_time,
                   Time modify_time) override;
  Status set_xattr(std::string_view name, std::string_view key, Bytes value) override;
  Status remove_xattr(std::string_view name, std::string_view key) override;
  Status remove(std::string_view name) override;
  Status sync() override;
  const std::string& path() const override { return path_; }

 private:
  [[nodiscard]] Status check_alive() const;
  // The entry `name`, or this directory if `name` is empty.
  [[nodiscard]] Result<MemoryInodePtr> entry(std::string_view name) const;
  // Makes the entry `name`. Fails if this directory is dead or has that entry.
  [[nodiscard]] Result<MemoryInodePtr> make_entry(std::string_view name, std::uint32_t mode);
  [[nodiscard]] std::string path_of(std::string_view name) const;

  std::shared_ptr<MemoryTree> tree_;
  MemoryInodePtr inode_;
  std::string path_;
  std::uint64_t crash_count_;
};

/// Succeeds if `inode` can be opened as a file; otherwise kIsDirectory, kLoop for links,
/// kInvalidArgument for nodes. The caller holds the mutex.
[[nodiscard]] Status check_regular(const MemoryInode& inode, const std::string& path);

}  // namespace dgfs::storage
