// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reading of directories; posix_directory_write.cpp has the other half.
#include "storage/posix/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "storage/names.h"
#include "storage/posix/file.h"
#include "storage/posix/os_error.h"
#include "storage/posix/status.h"

namespace dgfs::storage {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const noexcept { ::closedir(dir); }
};

// O_NOATIME is only for owners and the privileged; all others read without it.
int open_quietly(int directory_fd, const char* name, int flags) {
  const auto open_with = [&](int extra) {
    return retry_interrupted(
        [&] { return ::openat(directory_fd, name, flags | extra | O_CLOEXEC); });
  };
  const int fd = open_with(O_NOATIME);
  return fd < 0 && errno == EPERM ? open_with(0) : fd;
}

Status check_regular(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return os_error(1021, errno, "stat", path);
  if (S_ISREG(status.st_mode)) return ok();
  if (S_ISDIR(status.st_mode)) {
    return Error(ErrorKind::kIsDirectory, 1022, "is a directory, not a file").in_file(path);
  }
  return Error(ErrorKind::kInvalidArgument, 1023, "is not a regular file").in_file(path);
}

bool is_dot_or_dot_dot(std::string_view name) { return name == "." || name == ".."; }

}  // namespace

std::string PosixDirectory::entry_path(std::string_view name) const {
  return join_path(proc_path(fd_.get()), name);
}

Status PosixDirectory::each_name(const NameSink& sink) const {
  // Opened anew: the position of a directory stream belongs to the open file, and calls of other
  // threads would share it.
  UniqueFd fd(open_quietly(fd_.get(), ".", O_RDONLY | O_DIRECTORY));
  if (!fd) return os_error(1024, errno, "list", path_);
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(fd.get()));
  if (!dir) return os_error(1025, errno, "list", path_);
  static_cast<void>(fd.release());  // closedir() closes it
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr && errno != 0) return os_error(1026, errno, "list", path_);
    if (entry == nullptr) return ok();
    if (!is_dot_or_dot_dot(entry->d_name) && !sink(entry->d_name)) return ok();
  }
}

Result<FileStatus> PosixDirectory::status(std::string_view name) const {
  DGFS_CHECK(check_name_or_self(name, path_));
  struct stat status {};
  const int flags = AT_SYMLINK_NOFOLLOW | (name.empty() ? AT_EMPTY_PATH : 0);
  if (::fstatat(fd_.get(), std::string(name).c_str(), &status, flags) == 0) {
    return to_file_status(status);
  }
  return os_error(1027, errno, "stat", join_path(path_, name));
}

Result<std::unique_ptr<Directory>> PosixDirectory::open_directory(std::string_view name) const {
  DGFS_CHECK(check_name(name, path_));
  UniqueFd fd(
      open_quietly(fd_.get(), std::string(name).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (!fd) return os_error(1028, errno, "open directory", join_path(path_, name));
  return std::make_unique<PosixDirectory>(std::move(fd), join_path(path_, name));
}

Result<std::unique_ptr<File>> PosixDirectory::open_file(std::string_view name) const {
  DGFS_CHECK(check_name(name, path_));
  std::string path = join_path(path_, name);
  UniqueFd fd(open_quietly(fd_.get(), std::string(name).c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!fd && errno == ENXIO) {  // a socket, or a device without a driver
    return Error(ErrorKind::kInvalidArgument, 1029, "is not a regular file").in_file(path);
  }
  if (!fd) return os_error(1030, errno, "open", path);
  DGFS_CHECK(check_regular(fd.get(), path));
  return std::make_unique<PosixFile>(std::move(fd), std::move(path));
}

Result<std::string> PosixDirectory::read_link(std::string_view name) const {
  DGFS_CHECK(check_name(name, path_));
  const std::string entry(name);
  std::string target(256, '\0');
  while (true) {
    const ssize_t count = ::readlinkat(fd_.get(), entry.c_str(), target.data(), target.size());
    if (count < 0 && errno == EINVAL) {
      return Error(ErrorKind::kInvalidArgument, 1031, "is not a symbolic link")
          .in_file(join_path(path_, name));
    }
    if (count < 0) return os_error(1032, errno, "read link", join_path(path_, name));
    if (static_cast<std::size_t>(count) < target.size()) {
      target.resize(static_cast<std::size_t>(count));
      return target;
    }
    target.resize(target.size() * 2);  // filled to the brim: it may have been cut
  }
}

Result<std::vector<Xattr>> PosixDirectory::xattrs(std::string_view name) const {
  DGFS_CHECK(check_name_or_self(name, path_));
  if (name.empty()) return posix_xattrs(fd_.get(), path_);
  return posix_xattrs_at(entry_path(name), join_path(path_, name));
}

}  // namespace dgfs::storage
