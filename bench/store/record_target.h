// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RecordTarget: the place for records of a file: a file, the store, or only a log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::bench {

/// Not thread-safe. Writes are durable after sync().
class RecordTarget {
 public:
  virtual ~RecordTarget() = default;
  RecordTarget() = default;
  RecordTarget(const RecordTarget&) = delete;
  RecordTarget& operator=(const RecordTarget&) = delete;

  [[nodiscard]] virtual Status write(std::uint64_t offset_bytes, std::string_view record) = 0;
  [[nodiscard]] virtual Status sync() = 0;
  /// Brings all writes to their final place, except for those that the file system still caches.
  [[nodiscard]] virtual Status settle() = 0;
  /// Reads as many bytes as `record` has, into `record`.
  [[nodiscard]] virtual Status read(std::uint64_t offset_bytes, std::string& record) = 0;
};

/// Makes a file in the directory.
[[nodiscard]] Result<std::unique_ptr<RecordTarget>> make_file_target(const std::string& directory);
/// The minimum work of any log: makes a file in the directory; each sync writes the records since
/// the sync before, padded to pages of 4 KiB. Reads come from memory.
[[nodiscard]] Result<std::unique_ptr<RecordTarget>> make_floor_target(const std::string& directory);
/// Makes a store in the directory: one key for each 4 KiB of the file, as a mount would have it.
[[nodiscard]] Result<std::unique_ptr<RecordTarget>> make_store_target(const std::string& directory);

}  // namespace dgfs::bench
