// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix_publish.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "storage/env.h"
#include "storage/names.h"
#include "storage/os_error.h"
#include "storage/posix_random.h"

namespace dgfs::storage {
namespace {

// Six random letters collide with a leftover once in 10^9; more than a few in a row are no chance.
constexpr int kNameAttemptsMax = 16;
constexpr std::size_t kCopyBytes = std::size_t{1} << 20;
// All permission bits, so that the umask is what is missing afterwards. Reading it otherwise
// would mean setting it, for every thread of the process.
constexpr mode_t kUnnamedMode = 0777;

// A hidden name in an open directory, removed again unless kept.
class HiddenName {
 public:
  HiddenName(int directory_fd, std::string name)
      : directory_fd_(directory_fd), name_(std::move(name)) {}
  HiddenName(HiddenName&& other) noexcept
      : directory_fd_(std::exchange(other.directory_fd_, -1)), name_(std::move(other.name_)) {}
  ~HiddenName() {
    if (directory_fd_ >= 0) ::unlinkat(directory_fd_, name_.c_str(), 0);
  }
  [[nodiscard]] const char* c_str() const noexcept { return name_.c_str(); }
  void keep() noexcept { directory_fd_ = -1; }

 private:
  int directory_fd_;
  std::string name_;
};

Result<UniqueFd> open_parent(const std::string& path) {
  const std::string parent = parent_path(path);
  UniqueFd fd(retry_interrupted(
      [&] { return ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!fd) return os_error(1050, errno, "open directory", parent);
  return fd;
}

// Creates `name`, hidden, beside its future self.
Result<std::pair<HiddenName, UniqueFd>> create_hidden(int directory_fd, std::string_view name,
                                                      const std::string& path) {
  for (int attempt = 0; attempt < kNameAttemptsMax; ++attempt) {
    std::string hidden = hidden_name(name);
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    UniqueFd fd(::openat(directory_fd, hidden.c_str(), flags, kUnnamedMode));
    if (fd) return std::pair(HiddenName(directory_fd, std::move(hidden)), std::move(fd));
    if (errno != EEXIST && errno != EINTR) break;
  }
  return os_error(1051, errno, "create a temporary file", path);
}

int link_open_file(int fd, int directory_fd, const char* name) {
  if (::linkat(fd, "", directory_fd, name, AT_EMPTY_PATH) == 0) return 0;
  if (errno == EEXIST) return -1;
  // Before Linux 6.10 the first form is for the privileged only.
  return ::linkat(AT_FDCWD, proc_path(fd).c_str(), directory_fd, name, AT_SYMLINK_FOLLOW);
}

// Links `file` by a hidden name. No value where this file or file system cannot.
std::optional<HiddenName> link_hidden(int fd, int directory_fd, std::string_view name) {
  for (int attempt = 0; attempt < kNameAttemptsMax; ++attempt) {
    std::string hidden = hidden_name(name);
    if (link_open_file(fd, directory_fd, hidden.c_str()) == 0) {
      return HiddenName(directory_fd, std::move(hidden));
    }
    if (errno != EEXIST) break;
  }
  return std::nullopt;
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

// Gives `file` a hidden name by copying it; afterwards its descriptor is the copy's.
Result<HiddenName> copy_hidden(PosixFile& file, int directory_fd, std::string_view name,
                               const std::string& path) {
  DGFS_TRY(created, create_hidden(directory_fd, name, path));
  PosixFile copy(std::move(created.second), path);
  DGFS_CHECK(copy_content(file, copy));
  if (::dup3(copy.fd(), file.fd(), O_CLOEXEC) < 0) {
    return os_error(1052, errno, "take over the copy", path);
  }
  return std::move(created.first);
}

// `mode` less the umask. File systems that know no modes refuse this with EPERM, though we own
// the file; that does not make its content worse.
Status set_published_mode(int fd, std::uint32_t mode, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return os_error(1053, errno, "stat", path);
  if (::fchmod(fd, mode & status.st_mode & kUnnamedMode) == 0 || errno == EPERM) return ok();
  return os_error(1054, errno, "set mode", path);
}

}  // namespace

std::string hidden_name(std::string_view name) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<std::uint8_t, 6> random{};
  posix_random(random);
  std::string hidden = ".";
  hidden += name.substr(0, kNameBytesMax - random.size() - std::string_view("...tmp").size());
  hidden += '.';
  for (const std::uint8_t byte : random) hidden += kLetters[byte % kLetters.size()];
  return hidden + ".tmp";
}

Result<std::unique_ptr<PosixFile>> posix_create_unnamed(const std::string& directory_path) {
  const int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
  UniqueFd fd(
      retry_interrupted([&] { return ::open(directory_path.c_str(), flags, kUnnamedMode); }));
  const std::string path = join_path(directory_path, "(unnamed)");
  if (fd) return std::make_unique<PosixFile>(std::move(fd), path);
  // EISDIR: a kernel or file system that does not know O_TMPFILE takes it for O_DIRECTORY.
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    return os_error(1055, errno, "create a temporary file", directory_path);
  }
  DGFS_TRY(directory, open_parent(path));
  DGFS_TRY(created, create_hidden(directory.get(), "dgfs", directory_path));
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
