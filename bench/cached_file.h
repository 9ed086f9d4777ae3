// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CachedFile: a file in the system's page cache, and the reads of its device.
#pragma once

#include <cstdint>
#include <string>

namespace dgfs::bench {

/// Read requests of a block device. A value.
struct DeviceReads {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

/// Drops a file from the page cache of the system, and loads it again. Does not report errors.
class CachedFile {
 public:
  /// Writes back dirty pages, because those cannot be dropped.
  explicit CachedFile(const std::string& path);
  ~CachedFile();
  CachedFile(const CachedFile&) = delete;
  CachedFile& operator=(const CachedFile&) = delete;

  void drop() const;
  void load() const;
  /// All reads so far, by any process, of the block device that holds the file; zeros if no block
  /// device does.
  [[nodiscard]] DeviceReads device_reads() const;

 private:
  int fd_;
};

}  // namespace dgfs::bench
