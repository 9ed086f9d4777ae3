// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/avoiding_env.h"

#include "storage/posix/path_mounts.h"

namespace dgfs::storage {

Status AvoidingEnv::check(const std::string& path) const {
  const auto device = device_.load();
  if (device == 0 || !leads_into(path, device)) return ok();
  return Error(ErrorKind::kNotFound, 1267, "the path leads through the mount itself").in_file(path);
}

Result<std::unique_ptr<File>> AvoidingEnv::open(const std::string& path, OpenOptions options) {
  DGFS_CHECK(check(path));
  return base().open(path, options);
}

Result<std::unique_ptr<File>> AvoidingEnv::create_unnamed(const std::string& directory) {
  DGFS_CHECK(check(directory));
  return base().create_unnamed(directory);
}

Status AvoidingEnv::publish(File& file, const std::string& path, std::uint32_t mode) {
  DGFS_CHECK(check(path));
  return base().publish(file, path, mode);
}

Status AvoidingEnv::rename(const std::string& from, const std::string& to) {
  DGFS_CHECK(check(from));
  DGFS_CHECK(check(to));
  return base().rename(from, to);
}

Status AvoidingEnv::remove(const std::string& path) {
  DGFS_CHECK(check(path));
  return base().remove(path);
}

Result<FileStatus> AvoidingEnv::status(const std::string& path) const {
  DGFS_CHECK(check(path));
  return base().status(path);
}

Status AvoidingEnv::make_directory(const std::string& path, std::uint32_t mode) {
  DGFS_CHECK(check(path));
  return base().make_directory(path, mode);
}

Result<std::unique_ptr<Directory>> AvoidingEnv::open_directory(const std::string& path) {
  DGFS_CHECK(check(path));
  return base().open_directory(path);
}

Status AvoidingEnv::sync_directory(const std::string& path) {
  DGFS_CHECK(check(path));
  return base().sync_directory(path);
}

}  // namespace dgfs::storage
