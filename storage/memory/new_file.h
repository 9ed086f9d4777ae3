// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A NewFile of a MemoryEnv.
#pragma once

#include <memory>
#include <string>

#include "storage/memory/file.h"
#include "storage/new_file.h"

namespace dgfs::storage {

class MemoryNewFile final : public NewFile {
 public:
  /// The caller holds the mutex of `tree`.
  MemoryNewFile(std::shared_ptr<MemoryTree> tree, MemoryInodePtr directory, std::uint32_t mode,
                const std::string& path, std::string name);

  File& content() override { return file_; }
  Status set_owner(std::uint32_t uid, std::uint32_t gid) override;
  Status set_mode(std::uint32_t mode) override;
  Status set_times(std::optional<Time> access_time, Time modify_time) override;
  Status set_xattr(std::string_view key, Bytes value) override;
  Status remove_xattr(std::string_view key) override;
  Status link() override;

 private:
  std::shared_ptr<MemoryTree> tree_;
  MemoryInodePtr directory_;
  std::string name_;
  MemoryFile file_;
};

/// kNotFound if there is no such attribute. The caller holds the mutex.
[[nodiscard]] Status remove_xattr_of(MemoryInode& inode, std::string_view key, Time now,
                                     const std::string& path);

}  // namespace dgfs::storage
