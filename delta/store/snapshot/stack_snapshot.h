// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StackSnapshot: the stores of a stack at one moment, as one dictionary over a bottom that the
// caller supplies: for a file system, the image.
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

/// A value. Thread-safe. All stores must outlive it.
class StackSnapshot {
 public:
  /// Gets the value of a key from below all stores. Errors: its own.
  using Bottom = std::function<Result<std::optional<std::string>>(std::string_view key)>;

  /// @param stores  from the oldest to the newest. Only the newest store of a stack is written to,
  ///                so snapshots that are taken one after the other show the same moment.
  explicit StackSnapshot(std::vector<Snapshot> stores) : stores_(std::move(stores)) {}

  /// The message of all stores for a key, over the bottom: a patch, which is empty if they say
  /// nothing, or a final message. Asks the newest store first, no store below one with a final
  /// message, and no store whose filter excludes the object. Errors: those of Snapshot::find.
  [[nodiscard]] Result<Message> find(std::string_view key) const;
  /// The value; none: there is no such key. Errors: those of find() and of the bottom.
  /// @param bottom  called only if the stores have no final message
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key,
                                                       const Bottom& bottom) const;
  /// The messages of the stores for a key, for reading parts of its value. Must not outlive the
  /// snapshot. Errors: those of Stored::load.
  [[nodiscard]] Result<StackedValue> value(std::string_view key) const;
  /// Is nowhere.
  [[nodiscard]] StackCursor cursor(KeyRange bounds = {"", std::nullopt}) const;

 private:
  std::vector<Snapshot> stores_;  ///< the oldest first
};

}  // namespace dgfs::delta
