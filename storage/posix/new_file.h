// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A NewFile over a descriptor.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/new_file.h"
#include "storage/posix/file.h"
#include "storage/posix/hidden.h"

namespace dgfs::storage {

class PosixNewFile final : public NewFile {
 public:
  /// @param hidden  the name that the file has until link(), if any
  PosixNewFile(int directory_fd, const std::string& directory_path, std::string_view name,
               UniqueFd fd, std::optional<HiddenName> hidden);

  File& content() override { return file_; }
  Status set_owner(std::uint32_t uid, std::uint32_t gid) override;
  Status set_mode(std::uint32_t mode) override;
  Status set_times(std::optional<Time> access_time, Time modify_time) override;
  Status set_xattr(std::string_view key, Bytes value) override;
  Status remove_xattr(std::string_view key) override;
  Status link() override;

 private:
  [[nodiscard]] int rename_hidden();

  int directory_fd_;
  std::string name_;
  PosixFile file_;
  std::optional<HiddenName> hidden_;
};

/// Directory::create_unnamed(). The descriptor must outlive the result.
[[nodiscard]] Result<std::unique_ptr<PosixNewFile>> posix_create_new(
    int directory_fd, const std::string& directory_path, std::string_view name, std::uint32_t mode);

/// The same with a hidden name, for file systems without unnamed files.
[[nodiscard]] Result<std::unique_ptr<PosixNewFile>> posix_create_new_hidden(
    int directory_fd, const std::string& directory_path, std::string_view name, std::uint32_t mode);

}  // namespace dgfs::storage
