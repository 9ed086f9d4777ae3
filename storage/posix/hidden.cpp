// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/hidden.h"

#include <fcntl.h>

#include <array>

#include "storage/names.h"
#include "storage/posix/file.h"
#include "storage/posix/os_error.h"
#include "storage/posix/random.h"

namespace dgfs::storage {
namespace {

// Five random bytes collide with a leftover once in 10^12; several collisions in a row are no
// accident.
constexpr int kNameAttemptsMax = 16;

std::string fresh_name(std::string_view name) {
  std::array<std::uint8_t, 5> random{};
  posix_random(random);
  return hidden_name(name, random, "tmp");
}

}  // namespace

HiddenName::~HiddenName() {
  if (directory_fd_ >= 0) ::unlinkat(directory_fd_, name_.c_str(), 0);
}

Result<std::pair<HiddenName, UniqueFd>> create_hidden(int directory_fd, std::string_view name,
                                                      unsigned mode, const std::string& path) {
  for (int attempt = 0; attempt < kNameAttemptsMax; ++attempt) {
    std::string hidden = fresh_name(name);
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    UniqueFd fd(::openat(directory_fd, hidden.c_str(), flags, mode));
    if (fd) return std::pair(HiddenName(directory_fd, std::move(hidden)), std::move(fd));
    if (errno != EEXIST && errno != EINTR) break;
  }
  return os_error(1051, errno, "create a temporary file", path);
}

std::optional<HiddenName> link_hidden(int fd, int directory_fd, std::string_view name) {
  for (int attempt = 0; attempt < kNameAttemptsMax; ++attempt) {
    std::string hidden = fresh_name(name);
    if (link_open_file(fd, directory_fd, hidden.c_str()) == 0) {
      return HiddenName(directory_fd, std::move(hidden));
    }
    if (errno != EEXIST) break;
  }
  return std::nullopt;
}

int link_open_file(int fd, int directory_fd, const char* name) {
  if (::linkat(fd, "", directory_fd, name, AT_EMPTY_PATH) == 0) return 0;
  if (errno == EEXIST) return -1;
  // Before Linux 6.10 the first form needs privilege.
  return ::linkat(AT_FDCWD, proc_path(fd).c_str(), directory_fd, name, AT_SYMLINK_FOLLOW);
}

bool is_without_unnamed_files(int os_errno) {
  // EISDIR: a kernel or file system that does not know O_TMPFILE sees O_DIRECTORY.
  return os_errno == EOPNOTSUPP || os_errno == EISDIR || os_errno == EINVAL;
}

}  // namespace dgfs::storage
