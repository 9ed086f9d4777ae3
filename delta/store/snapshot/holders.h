// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SnapshotHolders: the names of the holders of a store's snapshots. A message about space that is
// not freed can name the oldest holder.
#pragma once

#include <cstddef>
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
  /// The holder of a snapshot. A value.
  struct Holder {
    std::string name;
    std::uint64_t since_ns = 0;  ///< on the monotonic clock
  };
  /// The holder is listed until the last copy of its hold ends.
  using Hold = std::shared_ptr<const Holder>;

  /// @param since_ns  on the monotonic clock; calls come in its order
  [[nodiscard]] Hold add(std::string name, std::uint64_t since_ns);
  /// None: there is no snapshot.
  [[nodiscard]] std::optional<Holder> oldest() const;
  [[nodiscard]] std::size_t count() const;

 private:
  mutable std::mutex mutex_;   ///< innermost; guards all that follows
  std::list<Holder> holders_;  ///< the oldest first
};

}  // namespace dgfs::delta
