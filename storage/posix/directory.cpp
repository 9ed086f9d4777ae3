// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "storage/file_mode.h"
#include "storage/names.h"
#include "storage/posix/entry_name.h"
#include "storage/posix/file.h"
#include "storage/posix/new_file.h"
#include "storage/posix/os_error.h"
#include "storage/posix/status.h"
#include "storage/posix/xattr.h"

namespace dgfs::storage {
namespace {

// File systems that give an object a new inode number after the kernel has forgotten its inode.
// FUSE and 9p do so only with some servers, overlays only for some objects.
constexpr std::array<std::uint32_t, 7> kRenumbering = {
    FUSE_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC, EXFAT_SUPER_MAGIC,
    CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,      V9FS_MAGIC};

struct CloseDir {
  void operator()(DIR* dir) const noexcept { ::closedir(dir); }
};

// Only the owner and the privileged may use O_NOATIME; all others open without it.
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

// fchmod(2) refuses O_PATH descriptors. fchmodat2(2) takes them since Linux 6.6; before that, only
// /proc leads from the descriptor to the object.
int change_mode(int path_fd, std::uint32_t mode) {
  constexpr long kFchmodat2 = 452;  // of all architectures
  if (::syscall(kFchmodat2, path_fd, "", mode, AT_EMPTY_PATH) == 0) return 0;
  if (!is_missing_call(errno)) return -1;
  return fall_back(errno, [&] { return ::chmod(proc_path(path_fd).c_str(), mode); });
}

bool is_dot_or_dot_dot(std::string_view name) { return name == "." || name == ".."; }

bool is_node_mode(std::uint32_t mode) {
  return S_ISFIFO(mode) || S_ISSOCK(mode) || S_ISCHR(mode) || S_ISBLK(mode);
}

Error link_error(int os_errno, const std::string& path) {
  auto error = os_error(1037, os_errno, "link", path);
  const bool has_no_links = os_errno == EXDEV || os_errno == EOPNOTSUPP || os_errno == ENOSYS;
  if (!has_no_links) return error;
  return Error(ErrorKind::kUnsupported, 1168, error.text()).in_file(path).with_errno(os_errno);
}

}  // namespace

Status PosixDirectory::each_name(const NameSink& sink) const {
  // Opens the directory anew: the position of a directory stream belongs to the open file, and
  // concurrent calls would share it.
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
    target.resize(target.size() * 2);  // the buffer is full, so the target may have been cut
  }
}

Result<std::vector<Xattr>> PosixDirectory::xattrs(std::string_view name) const {
  DGFS_CHECK(check_name_or_self(name, path_));
  if (name.empty()) return posix_xattrs(fd_.get(), path_);
  return posix_xattrs_at({fd_.get(), std::string(name)}, join_path(path_, name));
}

std::vector<Xattr> PosixDirectory::readable_xattrs(std::string_view name,
                                                   std::vector<Error>& unreadable) const {
  if (auto checked = check_name_or_self(name, path_); !checked) {
    unreadable.push_back(std::move(checked).error());
    return {};
  }
  if (name.empty()) return posix_readable_xattrs(fd_.get(), path_, unreadable);
  return posix_readable_xattrs_at({fd_.get(), std::string(name)}, join_path(path_, name),
                                  unreadable);
}

bool PosixDirectory::keeps_inode_numbers() const {
  struct statfs status {};
  if (::fstatfs(fd_.get(), &status) != 0) return false;
  return std::ranges::find(kRenumbering, static_cast<std::uint32_t>(status.f_type)) ==
         kRenumbering.end();
}

Status PosixDirectory::make_directory(std::string_view name, std::uint32_t mode) {
  DGFS_CHECK(check_name(name, path_));
  if (::mkdirat(fd_.get(), std::string(name).c_str(), mode & kPermissionMask) == 0) return ok();
  return os_error(1033, errno, "make directory", join_path(path_, name));
}

Result<std::unique_ptr<File>> PosixDirectory::create_file(std::string_view name,
                                                          std::uint32_t mode) {
  DGFS_CHECK(check_name(name, path_));
  const std::string entry(name);
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(retry_interrupted(
      [&] { return ::openat(fd_.get(), entry.c_str(), flags, mode & kPermissionMask); }));
  if (!fd) return os_error(1034, errno, "create", join_path(path_, name));
  return std::make_unique<PosixFile>(std::move(fd), join_path(path_, name));
}

Result<std::unique_ptr<NewFile>> PosixDirectory::create_unnamed(std::string_view name,
                                                                std::uint32_t mode) {
  DGFS_CHECK(check_name(name, path_));
  DGFS_TRY(file, posix_create_new(fd_.get(), path_, name, mode & kPermissionMask));
  return std::unique_ptr<NewFile>(std::move(file));
}

Status PosixDirectory::make_symlink(std::string_view name, std::string_view target) {
  DGFS_CHECK(check_name(name, path_));
  DGFS_CHECK(check_no_nul(target, "link target", join_path(path_, name)));
  const std::string target_text(target);
  if (::symlinkat(target_text.c_str(), fd_.get(), std::string(name).c_str()) == 0) return ok();
  return os_error(1035, errno, "make symbolic link", join_path(path_, name));
}

Status PosixDirectory::make_link(const Directory& existing_directory,
                                 std::string_view existing_name, std::string_view name) {
  DGFS_CHECK(check_name(existing_name, existing_directory.path()));
  DGFS_CHECK(check_name(name, path_));
  const auto* from = dynamic_cast<const PosixDirectory*>(&existing_directory);
  if (from == nullptr) {
    return Error(ErrorKind::kInvalidArgument, 1036, "cannot link across environments")
        .in_file(join_path(path_, name));
  }
  const std::string existing(existing_name);
  const std::string entry(name);
  if (::linkat(from->fd_.get(), existing.c_str(), fd_.get(), entry.c_str(), 0) == 0) return ok();
  return link_error(errno, join_path(path_, name));
}

Status PosixDirectory::make_node(std::string_view name, std::uint32_t mode, std::uint64_t rdev) {
  DGFS_CHECK(check_name(name, path_));
  if (!is_node_mode(mode)) {
    return Error(ErrorKind::kInvalidArgument, 1038, "not the type of a FIFO, socket or device")
        .in_file(join_path(path_, name));
  }
  if (::mknodat(fd_.get(), std::string(name).c_str(), mode, rdev) == 0) return ok();
  return os_error(1039, errno, "make node", join_path(path_, name));
}

Status PosixDirectory::set_owner(std::string_view name, std::uint32_t uid, std::uint32_t gid) {
  DGFS_CHECK(check_name_or_self(name, path_));
  const int flags = AT_SYMLINK_NOFOLLOW | (name.empty() ? AT_EMPTY_PATH : 0);
  if (::fchownat(fd_.get(), std::string(name).c_str(), uid, gid, flags) == 0) return ok();
  return os_error(1040, errno, "set owner", join_path(path_, name));
}

Status PosixDirectory::set_mode(std::string_view name, std::uint32_t mode) {
  DGFS_CHECK(check_name_or_self(name, path_));
  const std::string path = join_path(path_, name);
  if (name.empty() && ::fchmod(fd_.get(), mode & kPermissionMask) == 0) return ok();
  // chmod follows links. An O_PATH descriptor pins the object, so that no process can put a link in
  // its place between the check and the change.
  const UniqueFd fd(name.empty() ? ::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0)
                                 : ::openat(fd_.get(), std::string(name).c_str(),
                                            O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return os_error(1041, errno, "set mode", path);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return os_error(1042, errno, "stat", path);
  if (S_ISLNK(status.st_mode)) {
    return Error(ErrorKind::kInvalidArgument, 1043, "a symbolic link has no mode").in_file(path);
  }
  if (change_mode(fd.get(), mode & kPermissionMask) == 0) return ok();
  return os_error(1044, errno, "set mode", path);
}

Status PosixDirectory::set_times(std::string_view name, std::optional<Time> access_time,
                                 Time modify_time) {
  DGFS_CHECK(check_name_or_self(name, path_));
  DGFS_CHECK(check_time(modify_time, path_));
  DGFS_CHECK(check_time(access_time.value_or(Time{}), path_));
  std::array<timespec, 2> times{};
  times[0].tv_nsec = UTIME_OMIT;
  if (access_time) times[0] = to_timespec(*access_time);
  times[1] = to_timespec(modify_time);
  const std::string entry(name);
  const int failed = name.empty()
                         ? ::futimens(fd_.get(), times.data())
                         : ::utimensat(fd_.get(), entry.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
  if (failed == 0) return ok();
  return os_error(1045, errno, "set times", join_path(path_, name));
}

Status PosixDirectory::set_xattr(std::string_view name, std::string_view key, Bytes value) {
  DGFS_CHECK(check_name_or_self(name, path_));
  DGFS_CHECK(check_no_nul(key, "attribute name", join_path(path_, name)));
  const std::string key_text(key);
  const int failed =
      name.empty() ? ::fsetxattr(fd_.get(), key_text.c_str(), value.data(), value.size(), 0)
                   : EntryName{fd_.get(), std::string(name)}.set_xattr(key_text.c_str(), value);
  if (failed == 0) return ok();
  return os_error(1046, errno, "set extended attribute " + key_text, join_path(path_, name));
}

Status PosixDirectory::remove_xattr(std::string_view name, std::string_view key) {
  DGFS_CHECK(check_name_or_self(name, path_));
  DGFS_CHECK(check_no_nul(key, "attribute name", join_path(path_, name)));
  const std::string key_text(key);
  const int failed = name.empty()
                         ? ::fremovexattr(fd_.get(), key_text.c_str())
                         : EntryName{fd_.get(), std::string(name)}.remove_xattr(key_text.c_str());
  if (failed == 0) return ok();
  return os_error(1068, errno, "remove extended attribute " + key_text, join_path(path_, name));
}

Status PosixDirectory::remove(std::string_view name) {
  DGFS_CHECK(check_name(name, path_));
  const std::string entry(name);
  if (::unlinkat(fd_.get(), entry.c_str(), 0) == 0) return ok();
  if (errno == EISDIR && ::unlinkat(fd_.get(), entry.c_str(), AT_REMOVEDIR) == 0) return ok();
  return os_error(1047, errno, "remove", join_path(path_, name));
}

Status PosixDirectory::sync() {
  if (retry_interrupted([&] { return ::fsync(fd_.get()); }) == 0) return ok();
  return os_error(1048, errno, "sync directory", path_);
}

}  // namespace dgfs::storage
