// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Meter: what an operation costs: time, calls at the storage, requests at the device, memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/view/target.h"
#include "storage/testing/counting_env.h"

namespace dgfs::bench {

/// Of a block device since the system began. A value.
struct DeviceCounts {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t written_bytes = 0;
};

/// A value.
struct Storage {
  storage::IoCounts calls;             ///< of a view or an image
  std::optional<DeviceCounts> device;  ///< none: nobody said which it is
};

/// What was done, and its price. A value.
struct Row {
  std::string name;
  std::uint64_t operations = 0;
  double seconds = 0;             ///< with the sync at the end
  double sync_seconds = 0;        ///< of that
  Storage synced;                 ///< until the sync has returned
  Storage settled;                ///< until all was where it stays
  std::int64_t memory_bytes = 0;  ///< that the process has more, before it settles

  [[nodiscard]] std::string to_json() const;
};

/// For one thread.
class Meter {
 public:
  /// @param env         counts the calls of `target`
  /// @param statistics  of the block device, /sys/block/NAME/stat; may be empty
  Meter(storage::CountingEnv& env, Target& target, std::string statistics)
      : env_(env), target_(target), statistics_(std::move(statistics)) {}

  /// Times `task` and a sync after it, settles, and adds a row. The task returns how many
  /// operations it has done.
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
