// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RecordTarget: where records of a file go: a file, the store, or nothing but a log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::bench {

/// For one thread. What was written is durable after sync().
class RecordTarget {
 public:
  virtual ~RecordTarget() = default;
  RecordTarget() = default;
  RecordTarget(const RecordTarget&) = delete;
  RecordTarget& operator=(const RecordTarget&) = delete;

  [[nodiscard]] virtual Status write(std::uint64_t offset_bytes, std::string_view record) = 0;
  [[nodiscard]] virtual Status sync() = 0;
  /// Nothing waits in memory to get to its place, but for what the file system has.
  [[nodiscard]] virtual Status settle() = 0;
  /// As long as `record`, which it replaces.
  [[nodiscard]] virtual Status read(std::uint64_t offset_bytes, std::string& record) = 0;
};

/// Makes a file in the directory.
[[nodiscard]] Result<std::unique_ptr<RecordTarget>> make_file_target(const std::string& directory);
/// What no log can do without: makes a file in the directory, to which each sync writes the records
/// since the one before, padded to pages of 4 KiB. Reads come from memory.
[[nodiscard]] Result<std::unique_ptr<RecordTarget>> make_floor_target(const std::string& directory);
/// Makes a store in the directory: 4 KiB of the file a key, as a mount would have it.
[[nodiscard]] Result<std::unique_ptr<RecordTarget>> make_store_target(const std::string& directory);

}  // namespace dgfs::bench
