// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SnapshotHolders: who has snapshots of a store, so that whoever wonders what keeps its space can
// be told.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace dgfs::delta {

/// Thread-safe. Outlives all holds.
class SnapshotHolders {
 public:
  /// One that has a snapshot. A value.
  struct Holder {
    std::string name;
    std::uint64_t since_ns = 0;  ///< on the monotonic clock
  };
  /// Whoever has one holds a snapshot.
  using Hold = std::shared_ptr<const Holder>;

  /// @param since_ns  not before that of those who came before
  [[nodiscard]] Hold add(std::string name, std::uint64_t since_ns);
  /// None: nobody holds one.
  [[nodiscard]] std::optional<Holder> oldest() const;
  [[nodiscard]] std::size_t count() const;

 private:
  mutable std::mutex mutex_;   ///< innermost; all that follows
  std::list<Holder> holders_;  ///< the oldest first
};

}  // namespace dgfs::delta
