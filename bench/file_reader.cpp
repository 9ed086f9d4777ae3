// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads whole files below a directory and reports the time of each: the measured half of
// bench/read, bench/response and others.
//
//   dgfs_file_reader ROOT LIST THREADS [ROUNDS]
//
// Prints one JSON object: files, bytes, wall time, and quantiles of open + read + close.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "bench/timed_reads.h"

namespace {

bool read_file(int root, const std::string& path, std::vector<char>& buffer, std::uint64_t& bytes) {
  const int fd = openat(root, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t count = 0;
  while ((count = read(fd, buffer.data(), buffer.size())) > 0) {
    bytes += static_cast<std::uint64_t>(count);
  }
  close(fd);
  return count == 0;
}

dgfs::bench::ReadFile reader_below(int root) {
  const auto buffer = std::make_shared<std::vector<char>>(std::size_t{1} << 20);
  return [=](const std::string& path, std::uint64_t& bytes) {
    return read_file(root, path, *buffer, bytes);
  };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: {} ROOT LIST THREADS [ROUNDS]\n", argv[0]);
    return 2;
  }
  const int root = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto plan = dgfs::bench::read_plan({argv + 2, argv + argc});
  if (root < 0 || plan.paths.empty()) {
    fmt::print(stderr, "{}: cannot open {} or {}\n", argv[0], argv[1], argv[2]);
    return 1;
  }
  return dgfs::bench::time_reads(plan, [&] { return reader_below(root); });
}
