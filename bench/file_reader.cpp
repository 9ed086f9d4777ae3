// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads whole files below a directory and reports the time of each: the measured half of
// bench/read, bench/response and others.
//
//   dgfs_file_reader [--direct] ROOT LIST THREADS [ROUNDS]
//
// With --direct, reads bypass the page cache (O_DIRECT): the device's time for the same bytes.
// Prints one JSON object: files, bytes, wall time, and quantiles of open + read + close.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "bench/timed_reads.h"

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 4096;

struct Freer {
  void operator()(void* memory) const { std::free(memory); }
};

// Past the page cache a read must begin at a block boundary, so a short read must be the last.
bool read_file(int root, const std::string& path, int flags, void* buffer, std::uint64_t& bytes) {
  const int fd = openat(root, path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0) return false;
  ssize_t count = 0;
  while ((count = read(fd, buffer, kBufferBytes)) > 0) {
    bytes += static_cast<std::uint64_t>(count);
    if ((flags & O_DIRECT) != 0 && count < static_cast<ssize_t>(kBufferBytes)) break;
  }
  close(fd);
  return count >= 0;
}

dgfs::bench::ReadFile reader_below(int root, int flags) {
  const std::shared_ptr<void> buffer(std::aligned_alloc(kAlignment, kBufferBytes), Freer());
  return [=](const std::string& path, std::uint64_t& bytes) {
    return read_file(root, path, flags, buffer.get(), bytes);
  };
}

}  // namespace

int main(int argc, char** argv) {
  const char* const program = argv[0];
  const bool is_direct = argc > 1 && std::string_view(argv[1]) == "--direct";
  if (is_direct) {
    ++argv;
    --argc;
  }
  if (argc < 4) {
    fmt::print(stderr, "usage: {} [--direct] ROOT LIST THREADS [ROUNDS]\n", program);
    return 2;
  }
  const int root = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto plan = dgfs::bench::read_plan({argv + 2, argv + argc});
  if (root < 0 || plan.paths.empty()) {
    fmt::print(stderr, "{}: cannot open {} or {}\n", program, argv[1], argv[2]);
    return 1;
  }
  return dgfs::bench::time_reads(plan,
                                 [&] { return reader_below(root, is_direct ? O_DIRECT : 0); });
}
