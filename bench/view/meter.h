// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Meter: measures the cost of operations: time, storage calls, device requests, memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/view/target.h"
#include "storage/testing/counting_env.h"

namespace dgfs::bench {

/// Counters of a block device since the system began. A value.
struct DeviceCounts {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t written_bytes = 0;
};

/// I/O of an operation. A value.
struct Storage {
  storage::IoCounts calls;             ///< from a view or an image
  std::optional<DeviceCounts> device;  ///< nullopt: the device is unknown
};

/// An operation and its cost. A value.
struct Row {
  std::string name;
  std::uint64_t operations = 0;
  double seconds = 0;             ///< with the sync at the end
  double sync_seconds = 0;        ///< the part that the sync took
  Storage synced;                 ///< until the sync returned
  Storage settled;                ///< until the target was settled
  std::int64_t memory_bytes = 0;  ///< growth of the process, before the target settles

  [[nodiscard]] std::string to_json() const;
};

/// Not thread-safe.
class Meter {
 public:
  /// @param env         counts the calls of `target`
  /// @param statistics  path of the block device's /sys/block/NAME/stat; may be empty
  Meter(storage::CountingEnv& env, Target& target, std::string statistics)
      : env_(env), target_(target), statistics_(std::move(statistics)) {}

  /// Times `task` and a sync after it, settles the target, and adds a row. The task returns the
  /// number of its operations.
  [[nodiscard]] Status measure(const std::string& name,
                               const std::function<Result<std::uint64_t>()>& task);
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  [[nodiscard]] Storage since(const std::optional<DeviceCounts>& begin) const;

  storage::CountingEnv& env_;
  Target& target_;
  std::string statistics_;
  std::vector<Row> rows_;
};

}  // namespace dgfs::bench
