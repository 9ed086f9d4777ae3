// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Bytes that a process and a block device have written, from the kernel's counters, which work the
// same for all engines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dgfs::bench {

/// A value.
struct WrittenBytes {
  /// By this process: pages that it made dirty, also in maps, each time that they became dirty.
  std::uint64_t process = 0;
  /// By the block device below the directory, for all processes; nullopt if the file system has no
  /// such device.
  std::optional<std::uint64_t> device;
};

/// Zeros if the kernel does not report them.
[[nodiscard]] WrittenBytes written_bytes(const std::string& directory);
/// By a block device, from its statistics file /sys/block/NAME/stat.
[[nodiscard]] std::optional<std::uint64_t> device_written_bytes(const std::string& statistics);

/// Waits until everything written to the directory's file system is on its device.
void sync_file_system(const std::string& directory);

}  // namespace dgfs::bench
