// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/stream.h"

#include <fcntl.h>
#include <poll.h>
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

Error interrupted(const std::string& path) {
  return Error(ErrorKind::kInterrupted, 1160, "interrupted").in_file(path);
}

/// No call is repeated after a signal: a caught signal asks the program to end.
Error failed(std::uint16_t code, const char* verb, const std::string& path) {
  return errno == EINTR ? interrupted(path) : os_error(code, errno, verb, path);
}

/// Returns how many bytes were read; 0: the end.
Result<std::size_t> read_some(int fd, char* out, std::size_t bytes, const std::string& path) {
  const auto count = ::read(fd, out, bytes);
  if (count < 0) return failed(1162, "read", path);
  return static_cast<std::size_t>(count);
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
    DGFS_TRY(count, read_some(fd, text.data() + length, text.size() - length, path));
    if (count == 0) {
      text.resize(length);
      return text;
    }
    length += count;
  }
}

// A signal may come right before a read, and would not end it. Returns whether there is input, or
// an error that the read will tell.
bool wait_for_input(int fd, const std::atomic<bool>& stop) {
  constexpr int kIntervalMs = 100;
  for (;;) {
    pollfd input{fd, POLLIN, 0};
    const int ready = ::poll(&input, 1, kIntervalMs);
    if (stop) return false;
    if (ready != 0 && (ready > 0 || errno != EINTR)) return true;
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

Result<std::string> posix_read_line(const std::atomic<bool>& stop) {
  std::string line;
  for (char byte = 0;;) {
    if (!wait_for_input(STDIN_FILENO, stop)) return interrupted("standard input");
    DGFS_TRY(count, read_some(STDIN_FILENO, &byte, 1, "standard input"));
    if (count == 0 || byte == '\n') return line;
    line += byte;
  }
}

bool posix_is_pipe(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace dgfs::storage
