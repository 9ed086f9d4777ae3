// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a process and a block device have written by the kernel's counters, which know nothing of
// engines and are the same for all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dgfs::bench {

/// A value.
struct WrittenBytes {
  /// By this process: pages that it made dirty, also in maps, each time that they became dirty.
  std::uint64_t process = 0;
  /// By the block device that the directory lies on, whoever wrote: none where the file system has
  /// no such device.
  std::optional<std::uint64_t> device;
};

/// Zeros where the kernel does not tell.
[[nodiscard]] WrittenBytes written_bytes(const std::string& directory);
/// By a block device, told by its file of statistics: /sys/block/NAME/stat.
[[nodiscard]] std::optional<std::uint64_t> device_written_bytes(const std::string& statistics);

/// All that was written to the file system of the directory is on its device.
void sync_file_system(const std::string& directory);

}  // namespace dgfs::bench
