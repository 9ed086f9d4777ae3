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

#include "delta/store/run/memtable.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// Thread-safe.
class ImmutableMemtable {
 public:
  /// @param table  has so many bytes and takes no more, before anybody else has this
  ImmutableMemtable(std::shared_ptr<const Memtable> table, std::size_t size_bytes)
      : size_bytes_(size_bytes), table_(std::move(table)) {}
  explicit ImmutableMemtable(RunRef run) : size_bytes_(run->size_bytes()), run_(std::move(run)) {}

  /// What it says of a key; nullopt: nothing. O(log n).
  [[nodiscard]] std::optional<Message> find(std::string_view key) const;
  /// All that it says. The first call makes the run, O(n), and others wait for it.
  [[nodiscard]] RunRef run() const;
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  const std::size_t size_bytes_;
  mutable std::mutex making_;                      ///< before mutex_
  mutable std::mutex mutex_;                       ///< all that follows
  mutable std::shared_ptr<const Memtable> table_;  ///< null: there is a run
  mutable RunRef run_;
};

using MemtableRef = std::shared_ptr<const ImmutableMemtable>;

}  // namespace dgfs::delta
