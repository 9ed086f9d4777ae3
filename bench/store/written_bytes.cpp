// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/store/written_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kSectorBytes = 512;
constexpr int kSectorsWrittenField = 6;  // counted from 0, see Documentation/block/stat.rst

std::uint64_t process_bytes() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t number = 0;
  while (file >> name >> number) {
    if (name == "write_bytes:") return number;
  }
  return 0;
}

std::optional<std::uint64_t> bytes_below(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) return std::nullopt;
  return device_written_bytes(
      fmt::format("/sys/dev/block/{}:{}/stat", major(status.st_dev), minor(status.st_dev)));
}

}  // namespace

WrittenBytes written_bytes(const std::string& directory) {
  return {process_bytes(), bytes_below(directory)};
}

std::optional<std::uint64_t> device_written_bytes(const std::string& statistics) {
  std::ifstream file(statistics);
  std::uint64_t number = 0;
  for (int field = 0; field <= kSectorsWrittenField; ++field) {
    if (!(file >> number)) return std::nullopt;
  }
  return number * kSectorBytes;
}

void sync_file_system(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return;
  syncfs(fd);
  close(fd);
}

}  // namespace dgfs::bench
