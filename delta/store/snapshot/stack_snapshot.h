// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StackSnapshot: the stores of a stack as they were at one moment, as one dictionary over a bottom
// that the caller has: for a file system that is the image.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/store/snapshot/snapshot.h"
#include "delta/store/snapshot/stack_cursor.h"
#include "delta/store/snapshot/stacked_value.h"

namespace dgfs::delta {

/// Thread-safe; a value. All stores must outlive it.
class StackSnapshot {
 public:
  /// What lies below all stores has of a key. Errors: its own.
  using Bottom = std::function<Result<std::optional<std::string>>(std::string_view key)>;

  /// @param stores  from the oldest to the newest. Only the newest of a stack is written to, so
  ///                that snapshots of all, taken one after the other, are of one moment.
  explicit StackSnapshot(std::vector<Snapshot> stores) : stores_(std::move(stores)) {}

  /// What all stores say of a key, over the bottom: a patch, empty if they say nothing, or what
  /// needs no bottom. The newest is asked first, and none below one that needs nothing below it.
  /// Errors: those of Snapshot::find.
  [[nodiscard]] Result<Message> find(std::string_view key) const;
  /// The value; none: there is no such key. Errors: those of find() and of the bottom.
  /// @param bottom  is asked only if the stores do not say all
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key,
                                                       const Bottom& bottom) const;
  /// All that the stores say of a key, so that parts of the value can be read. It must not outlive
  /// the snapshot. Errors: those of Stored::load.
  [[nodiscard]] Result<StackedValue> value(std::string_view key) const;
  /// Stands nowhere.
  [[nodiscard]] StackCursor cursor(KeyRange bounds = {"", std::nullopt}) const;

 private:
  std::vector<Snapshot> stores_;  ///< from the oldest on
};

}  // namespace dgfs::delta
