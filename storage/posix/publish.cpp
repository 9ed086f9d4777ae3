// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/publish.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "storage/env.h"
#include "storage/names.h"
#include "storage/posix/hidden.h"
#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;
// All permission bits, so that the missing ones tell the umask afterwards. The only other way to
// read the umask is to set it, for every thread of the process.
constexpr mode_t kUnnamedMode = 0777;
// Under a hidden name, before it has its mode, only its owner can open a file.
constexpr mode_t kPrivateFile = 0600;

Result<UniqueFd> open_parent(const std::string& path) {
  const std::string parent = parent_path(path);
  UniqueFd fd(retry_interrupted(
      [&] { return ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!fd) return os_error(1050, errno, "open directory", parent);
  return fd;
}

Status copy_content(const File& from, File& to) {
  DGFS_TRY(size, from.size());
  DGFS_CHECK(to.truncate(size));
  Buffer buffer(std::min<std::uint64_t>(kCopyBytes, size));
  for (std::uint64_t at = 0; at < size;) {
    DGFS_TRY(data, from.next_data(at));
    if (data.begin >= data.end) return ok();
    const auto count = std::min<std::uint64_t>(data.end - data.begin, buffer.size());
    const auto part = MutableBytes(buffer).first(count);
    DGFS_CHECK(read_exactly(from, data.begin, part));
    DGFS_CHECK(to.write_at(data.begin, part));
    at = data.begin + count;
  }
  return ok();
}

// The mode that a new file here would get: all permission bits, without those that the umask takes,
// or the access list that new files inherit. Only an empty file has this mode under a name, and
// only for a moment.
Result<mode_t> mode_of_new_files(int directory_fd, std::string_view name, const std::string& path) {
  DGFS_TRY(created, create_hidden(directory_fd, name, kUnnamedMode, path));
  struct stat status {};
  if (::fstat(created.second.get(), &status) != 0) return os_error(1230, errno, "stat", path);
  return status.st_mode;
}

// Sets the bits of `mode` that `new_mode`, the mode of a new file, has. A file system without modes
// refuses this with EPERM, though we own the file; the published content is good all the same.
Status set_published_mode(int fd, std::uint32_t mode, mode_t new_mode, const std::string& path) {
  if (::fchmod(fd, mode & new_mode & kUnnamedMode) == 0 || errno == EPERM) return ok();
  return os_error(1054, errno, "set mode", path);
}

// Gives `file` a hidden name by copying it; afterwards its descriptor refers to the copy. While it
// is being copied only its owner can open it.
Result<HiddenName> copy_hidden(PosixFile& file, int directory_fd, std::string_view name,
                               std::uint32_t mode, const std::string& path) {
  DGFS_TRY(new_mode, mode_of_new_files(directory_fd, name, path));
  DGFS_TRY(created, create_hidden(directory_fd, name, kPrivateFile, path));
  PosixFile copy(std::move(created.second), path);
  DGFS_CHECK(copy_content(file, copy));
  DGFS_CHECK(set_published_mode(copy.fd(), mode, new_mode, path));
  file.end_direct();
  if (::dup3(copy.fd(), file.fd(), O_CLOEXEC) < 0) {
    return os_error(1052, errno, "take over the copy", path);
  }
  return std::move(created.first);
}

// Gives `file` a hidden name. The file has its mode already, so the name lets nobody in.
Result<HiddenName> name_hidden(PosixFile& file, int directory_fd, std::string_view name,
                               std::uint32_t mode, const std::string& path) {
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) return os_error(1053, errno, "stat", path);
  DGFS_CHECK(set_published_mode(file.fd(), mode, status.st_mode, path));
  if (auto hidden = link_hidden(file.fd(), directory_fd, name)) return *std::move(hidden);
  return copy_hidden(file, directory_fd, name, mode, path);
}

}  // namespace

Result<std::unique_ptr<PosixFile>> posix_create_unnamed(const std::string& directory_path) {
  const int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
  UniqueFd fd(
      retry_interrupted([&] { return ::open(directory_path.c_str(), flags, kUnnamedMode); }));
  const std::string path = join_path(directory_path, "(unnamed)");
  if (fd) return std::make_unique<PosixFile>(std::move(fd), path);
  if (!is_without_unnamed_files(errno)) {
    return os_error(1055, errno, "create a temporary file", directory_path);
  }
  DGFS_TRY(directory, open_parent(path));
  DGFS_TRY(created, create_hidden(directory.get(), "dgfs", kPrivateFile, directory_path));
  return std::make_unique<PosixFile>(std::move(created.second), path);
}

Status posix_publish(PosixFile& file, const std::string& path, std::uint32_t mode) {
  const std::string name = base_name(path);
  DGFS_CHECK(check_name(name, parent_path(path)));
  DGFS_TRY(directory, open_parent(path));
  DGFS_TRY(hidden, name_hidden(file, directory.get(), name, mode, path));
  DGFS_CHECK(file.sync());
  if (::renameat(directory.get(), hidden.c_str(), directory.get(), name.c_str()) != 0) {
    return os_error(1056, errno, "replace", path);
  }
  hidden.keep();
  file.set_path(path);
  if (retry_interrupted([&] { return ::fsync(directory.get()); }) == 0) return ok();
  return os_error(1057, errno, "sync its directory", path);
}

}  // namespace dgfs::storage
