// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImmutableMemtable: a table that takes no more. Freezing one costs nothing, whatever is in it, so
// that writers go on at once; a run is made of it when somebody wants one.
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

  /// What it says of a key; nullopt: nothing. O(log n).
  [[nodiscard]] std::optional<Message> find(std::string_view key) const;
  /// All that it says. The first call makes the run, O(n), and others wait for it.
  [[nodiscard]] RunRef run() const;
  /// The same, as late_bound() makes it: from the first call on that is the run of the table.
  /// Nobody may bind large values of it meanwhile.
  [[nodiscard]] RunRef late_bound_run(const LargeBounds& bounds, ExtentVolume& volume) const;
  /// What it says of keys from one on, or right before one: as of Memtable::part(), or all of the
  /// run if it has been made.
  [[nodiscard]] KnownRange part(const KeyEnd& key, bool before, std::size_t count_max) const;
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  struct State {
    std::shared_ptr<const Memtable> table;  ///< null: there is a run
    RunRef run;
  };
  [[nodiscard]] State state() const;

  const std::size_t size_bytes_;
  mutable std::mutex binding_;          ///< before making_; those who read do not take it
  mutable bool is_late_bound_ = false;  ///< under binding_
  mutable std::mutex making_;           ///< before mutex_
  mutable std::mutex mutex_;
  mutable State state_;  ///< under mutex_
};

using MemtableRef = std::shared_ptr<const ImmutableMemtable>;

}  // namespace dgfs::delta
