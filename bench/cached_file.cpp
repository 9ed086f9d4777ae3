// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/cached_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <vector>

namespace dgfs::bench {

CachedFile::CachedFile(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  fsync(fd_);
}

CachedFile::~CachedFile() { close(fd_); }

void CachedFile::drop() const { posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED); }

void CachedFile::load() const {
  std::vector<char> buffer(std::size_t{1} << 20);
  off_t at = 0;
  for (ssize_t got = 1; got > 0; at += got) got = pread(fd_, buffer.data(), buffer.size(), at);
}

DeviceReads CachedFile::device_reads() const {
  struct stat status {};
  fstat(fd_, &status);
  std::ifstream in(
      fmt::format("/sys/dev/block/{}:{}/stat", major(status.st_dev), minor(status.st_dev)));
  std::uint64_t merged = 0;
  DeviceReads reads;
  in >> reads.count >> merged >> reads.bytes;
  reads.bytes *= 512;
  return reads;
}

}  // namespace dgfs::bench
