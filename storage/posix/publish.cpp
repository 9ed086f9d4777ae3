// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/publish.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
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

// Gives `file` a hidden name by copying it; afterwards its descriptor refers to the copy.
Result<HiddenName> copy_hidden(PosixFile& file, int directory_fd, std::string_view name,
                               const std::string& path) {
  DGFS_TRY(created, create_hidden(directory_fd, name, kUnnamedMode, path));
  PosixFile copy(std::move(created.second), path);
  DGFS_CHECK(copy_content(file, copy));
  file.end_direct();
  if (::dup3(copy.fd(), file.fd(), O_CLOEXEC) < 0) {
    return os_error(1052, errno, "take over the copy", path);
  }
  return std::move(created.first);
}

// Sets `mode` without the umask's bits. A file system without modes refuses this with EPERM, though
// we own the file; the published content is good all the same.
Status set_published_mode(int fd, std::uint32_t mode, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return os_error(1053, errno, "stat", path);
  if (::fchmod(fd, mode & status.st_mode & kUnnamedMode) == 0 || errno == EPERM) return ok();
  return os_error(1054, errno, "set mode", path);
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
  DGFS_TRY(created, create_hidden(directory.get(), "dgfs", kUnnamedMode, directory_path));
  return std::make_unique<PosixFile>(std::move(created.second), path);
}

Status posix_publish(PosixFile& file, const std::string& path, std::uint32_t mode) {
  const std::string name = base_name(path);
  DGFS_CHECK(check_name(name, parent_path(path)));
  DGFS_TRY(directory, open_parent(path));
  std::optional<HiddenName> hidden = link_hidden(file.fd(), directory.get(), name);
  if (!hidden) {
    DGFS_TRY(copied, copy_hidden(file, directory.get(), name, path));
    hidden.emplace(std::move(copied));
  }
  DGFS_CHECK(set_published_mode(file.fd(), mode, path));
  DGFS_CHECK(file.sync());
  if (::renameat(directory.get(), hidden->c_str(), directory.get(), name.c_str()) != 0) {
    return os_error(1056, errno, "replace", path);
  }
  hidden->keep();
  file.set_path(path);
  if (retry_interrupted([&] { return ::fsync(directory.get()); }) == 0) return ok();
  return os_error(1057, errno, "sync its directory", path);
}

}  // namespace dgfs::storage
