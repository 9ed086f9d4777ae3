// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <cstdio>

#include "storage/file_mode.h"
#include "storage/names.h"
#include "storage/posix/os_error.h"
#include "storage/posix/status.h"

namespace dgfs::storage {

PosixNewFile::PosixNewFile(int directory_fd, const std::string& directory_path,
                           std::string_view name, UniqueFd fd, std::optional<HiddenName> hidden)
    : directory_fd_(directory_fd),
      name_(name),
      file_(std::move(fd), join_path(directory_path, name)),
      hidden_(std::move(hidden)) {}

Status PosixNewFile::set_owner(std::uint32_t uid, std::uint32_t gid) {
  if (::fchown(file_.fd(), uid, gid) == 0) return ok();
  return os_error(1069, errno, "set owner", file_.path());
}

Status PosixNewFile::set_mode(std::uint32_t mode) {
  if (::fchmod(file_.fd(), mode & kPermissionMask) == 0) return ok();
  return os_error(1070, errno, "set mode", file_.path());
}

Status PosixNewFile::set_times(std::optional<Time> access_time, Time modify_time) {
  DGFS_CHECK(check_time(modify_time, file_.path()));
  DGFS_CHECK(check_time(access_time.value_or(Time{}), file_.path()));
  std::array<timespec, 2> times{};
  times[0].tv_nsec = UTIME_OMIT;
  if (access_time) times[0] = to_timespec(*access_time);
  times[1] = to_timespec(modify_time);
  if (::futimens(file_.fd(), times.data()) == 0) return ok();
  return os_error(1071, errno, "set times", file_.path());
}

Status PosixNewFile::set_xattr(std::string_view key, Bytes value) {
  DGFS_CHECK(check_no_nul(key, "attribute name", file_.path()));
  const std::string key_text(key);
  if (::fsetxattr(file_.fd(), key_text.c_str(), value.data(), value.size(), 0) == 0) return ok();
  return os_error(1072, errno, "set extended attribute " + key_text, file_.path());
}

Status PosixNewFile::remove_xattr(std::string_view key) {
  DGFS_CHECK(check_no_nul(key, "attribute name", file_.path()));
  const std::string key_text(key);
  if (::fremovexattr(file_.fd(), key_text.c_str()) == 0) return ok();
  return os_error(1073, errno, "remove extended attribute " + key_text, file_.path());
}

// A file system without renameat2(2) must have link(2); no other call names a file without
// replacing one.
int PosixNewFile::rename_hidden() {
  const char* name = name_.c_str();
  if (::renameat2(directory_fd_, hidden_->c_str(), directory_fd_, name, RENAME_NOREPLACE) == 0) {
    hidden_->keep();
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return -1;
  return ::linkat(directory_fd_, hidden_->c_str(), directory_fd_, name, 0);
}

Status PosixNewFile::link() {
  const int failed =
      hidden_ ? rename_hidden() : link_open_file(file_.fd(), directory_fd_, name_.c_str());
  if (failed != 0) return os_error(1074, errno, "create", file_.path());
  hidden_.reset();
  return ok();
}

Result<std::unique_ptr<PosixNewFile>> posix_create_new(int directory_fd,
                                                       const std::string& directory_path,
                                                       std::string_view name, std::uint32_t mode) {
  const int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
  UniqueFd fd(retry_interrupted([&] { return ::openat(directory_fd, ".", flags, mode); }));
  if (!fd && is_without_unnamed_files(errno)) {
    return posix_create_new_hidden(directory_fd, directory_path, name, mode);
  }
  if (!fd) return os_error(1075, errno, "create", join_path(directory_path, name));
  return std::make_unique<PosixNewFile>(directory_fd, directory_path, name, std::move(fd),
                                        std::nullopt);
}

Result<std::unique_ptr<PosixNewFile>> posix_create_new_hidden(int directory_fd,
                                                              const std::string& directory_path,
                                                              std::string_view name,
                                                              std::uint32_t mode) {
  DGFS_TRY(created, create_hidden(directory_fd, "new", mode, directory_path));
  return std::make_unique<PosixNewFile>(directory_fd, directory_path, name,
                                        std::move(created.second), std::move(created.first));
}

}  // namespace dgfs::storage
