// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Files and directories that can only be read: every call that would change something fails with
// kPermission. For trees that no file system holds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/directory.h"

namespace dgfs::storage {

/// A file of such a tree. It cannot be locked.
class ReadOnlyFile : public File {
 public:
  [[nodiscard]] Status write_at(std::uint64_t offset_bytes, Bytes data) final;
  [[nodiscard]] Status truncate(std::uint64_t size_bytes) final;
  [[nodiscard]] Status preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) final;
  [[nodiscard]] Status punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) final;
  [[nodiscard]] Result<std::uint64_t> free_bytes() const final { return std::uint64_t{0}; }
  [[nodiscard]] Status sync() final { return ok(); }
  [[nodiscard]] Status lock() final;
  [[nodiscard]] Status lock_shared() final;
  void advise(Access /*access*/, std::uint64_t /*offset_bytes*/,
              std::uint64_t /*length_bytes*/) final {}

 private:
  [[nodiscard]] Status refuse() const;
};

/// A directory of such a tree.
class ReadOnlyDirectory : public Directory {
 public:
  [[nodiscard]] Status make_directory(std::string_view name, std::uint32_t mode) final;
  [[nodiscard]] Result<std::unique_ptr<File>> create_file(std::string_view name,
                                                          std::uint32_t mode) final;
  [[nodiscard]] Result<std::unique_ptr<NewFile>> create_unnamed(std::string_view name,
                                                                std::uint32_t mode) final;
  [[nodiscard]] Status make_symlink(std::string_view name, std::string_view target) final;
  [[nodiscard]] Status make_link(const Directory& existing_directory,
                                 std::string_view existing_name, std::string_view name) final;
  [[nodiscard]] Status make_node(std::string_view name, std::uint32_t mode,
                                 std::uint64_t rdev) final;
  [[nodiscard]] Status set_owner(std::string_view name, std::uint32_t uid, std::uint32_t gid) final;
  [[nodiscard]] Status set_mode(std::string_view name, std::uint32_t mode) final;
  [[nodiscard]] Status set_times(std::string_view name, std::optional<Time> access_time,
                                 Time modify_time) final;
  [[nodiscard]] Status set_xattr(std::string_view name, std::string_view key, Bytes value) final;
  [[nodiscard]] Status remove_xattr(std::string_view name, std::string_view key) final;
  [[nodiscard]] Status remove(std::string_view name) final;
  [[nodiscard]] Status sync() final { return ok(); }

 private:
  [[nodiscard]] Error refusal(std::string_view name) const;
};

}  // namespace dgfs::storage
