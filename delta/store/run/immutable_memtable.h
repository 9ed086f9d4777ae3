// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImmutableMemtable: a memtable that takes no more changes. Freezing costs O(1), whatever its size,
// so that writers go on at once. The run is made when it is first needed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "delta/store/run/late_binding.h"
#include "delta/store/run/memtable.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// Thread-safe.
class ImmutableMemtable {
 public:
  /// O(1).
  explicit ImmutableMemtable(Memtable table)
      : size_bytes_(table.size_bytes()),
        state_{std::make_shared<const Memtable>(std::move(table)), nullptr} {}
  explicit ImmutableMemtable(RunRef run)
      : size_bytes_(run->size_bytes()), state_{nullptr, std::move(run)} {}

  /// Its message for a key; nullopt: none. O(log n).
  [[nodiscard]] std::optional<Message> find(std::string_view key) const;
  /// All of it as a run. The first call makes the run, O(n), and other calls wait for it.
  [[nodiscard]] RunRef run() const;
  /// The same, changed by late_bound(); from the first call on it is the run of the table. No other
  /// thread may bind large values of it meanwhile.
  [[nodiscard]] RunRef late_bound_run(const LargeBounds& bounds, ExtentVolume& volume) const;
  /// Its messages for keys from `key` on, or right before it: as of Memtable::part(), or the whole
  /// run if that has been made.
  [[nodiscard]] KnownRange part(const KeyEnd& key, bool before, std::size_t count_max) const;
  /// Roughly its memory.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  struct State {
    std::shared_ptr<const Memtable> table;  ///< null: the run has been made
    RunRef run;
  };
  [[nodiscard]] State state() const;

  const std::size_t size_bytes_;
  mutable std::mutex binding_;          ///< before making_; readers do not take it
  mutable bool is_late_bound_ = false;  ///< under binding_
  mutable std::mutex making_;           ///< before mutex_
  mutable std::mutex mutex_;
  mutable State state_;  ///< under mutex_
};

using MemtableRef = std::shared_ptr<const ImmutableMemtable>;

}  // namespace dgfs::delta
