// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CachedFile: a file as the page cache of the system has it, and what its device was asked for.
#pragma once

#include <cstdint>
#include <string>

namespace dgfs::bench {

/// Of a block device. A value.
struct DeviceReads {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

/// Takes a file out of the page cache of the system, and puts it back. Errors are not told.
class CachedFile {
 public:
  /// Writes what is not written yet, as that cannot be dropped.
  explicit CachedFile(const std::string& path);
  ~CachedFile();
  CachedFile(const CachedFile&) = delete;
  CachedFile& operator=(const CachedFile&) = delete;

  void drop() const;
  void load() const;
  /// What has been read so far, by whomever, of the block device that it is on; zeros where it is
  /// on none.
  [[nodiscard]] DeviceReads device_reads() const;

 private:
  int fd_;
};

}  // namespace dgfs::bench
