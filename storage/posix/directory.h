// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A Directory over a descriptor and the *at() calls.
#pragma once

#include <memory>
#include <string>

#include "storage/directory.h"
#include "storage/posix/unique_fd.h"
#include "storage/source_traits.h"

namespace dgfs::storage {

class PosixDirectory final : public Directory, public DirectoryTraits {
 public:
  PosixDirectory(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Status each_name(const NameSink& sink) const override;
  Result<FileStatus> status(std::string_view name) const override;
  Result<std::unique_ptr<Directory>> open_directory(std::string_view name) const override;
  Result<std::unique_ptr<File>> open_file(std::string_view name) const override;
  Result<std::string> read_link(std::string_view name) const override;
  Result<std::vector<Xattr>> xattrs(std::string_view name) const override;
  std::vector<Xattr> readable_xattrs(std::string_view name,
                                     std::vector<Error>& unreadable) const override;
  bool keeps_inode_numbers() const override;

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
  UniqueFd fd_;
  std::string path_;
};

}  // namespace dgfs::storage
