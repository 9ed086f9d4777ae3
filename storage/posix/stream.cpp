// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "storage/names.h"
#include "storage/posix/os_error.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

/// No call is repeated after a signal: a caught signal asks the program to end.
Error failed(std::uint16_t code, const char* verb, const std::string& path) {
  if (errno != EINTR) return os_error(code, errno, verb, path);
  return Error(ErrorKind::kInterrupted, 1160, "interrupted").in_file(path);
}

Result<std::string> read_all(int fd, const std::string& path, std::uint64_t bytes_max) {
  std::string text;
  for (std::size_t length = 0;;) {
    if (length > bytes_max) {
      return Error(ErrorKind::kLimit, 1161, "longer than " + std::to_string(bytes_max) + " bytes")
          .in_file(path);
    }
    // The room doubles with the text, so that a long text is not copied for each chunk.
    text.resize(length + std::max(kChunkBytes, length));
    const auto count = ::read(fd, text.data() + length, text.size() - length);
    if (count < 0) return failed(1162, "read", path);
    if (count == 0) {
      text.resize(length);
      return text;
    }
    length += static_cast<std::size_t>(count);
  }
}

}  // namespace

Result<std::string> posix_read_stream(const std::string& path, std::uint64_t bytes_max) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input", bytes_max);
  DGFS_CHECK(check_no_nul(path, "path", path));
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return failed(1163, "open", path);
  return read_all(fd.get(), path, bytes_max);
}

bool posix_is_pipe(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace dgfs::storage
