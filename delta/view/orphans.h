// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Orphans: the objects without a name that have not ended, in memory. The store has a record of
// each, except of objects of the image that were never changed.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "delta/view/object.h"

namespace dgfs::view {

/// Thread-safe.
class Orphans {
 public:
  /// @param since  when the object lost its last name
  /// Returns whether it was added.
  bool add(ObjectNumber object, const Time& since) {
    const std::lock_guard lock(mutex_);
    return objects_.emplace(object, since).second;
  }
  void remove(ObjectNumber object) noexcept {
    const std::lock_guard lock(mutex_);
    objects_.erase(object);
  }
  [[nodiscard]] bool has(ObjectNumber object) const {
    const std::lock_guard lock(mutex_);
    return objects_.contains(object);
  }
  /// When the object lost its last name; none: it is no orphan.
  [[nodiscard]] std::optional<Time> since(ObjectNumber object) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(object);
    return found == objects_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::vector<Orphan> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<Orphan> all;
    all.reserve(objects_.size());
    for (const auto& [object, since] : objects_) all.push_back({object, since});
    return all;
  }

 private:
  mutable std::mutex mutex_;  ///< innermost
  std::unordered_map<ObjectNumber, Time> objects_;
};

}  // namespace dgfs::view
