// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Orphans: objects that no name leads to and that have not ended, in memory. The store has a record
// of each but for those of the image that nobody has touched.
#pragma once

#include <mutex>
#include <unordered_set>
#include <vector>

#include "delta/view/object.h"

namespace dgfs::view {

/// Thread-safe.
class Orphans {
 public:
  /// Returns whether it is new.
  bool add(ObjectNumber object) {
    const std::lock_guard lock(mutex_);
    return objects_.insert(object).second;
  }
  void remove(ObjectNumber object) noexcept {
    const std::lock_guard lock(mutex_);
    objects_.erase(object);
  }
  [[nodiscard]] bool has(ObjectNumber object) const {
    const std::lock_guard lock(mutex_);
    return objects_.contains(object);
  }
  [[nodiscard]] std::vector<ObjectNumber> all() const {
    const std::lock_guard lock(mutex_);
    return {objects_.begin(), objects_.end()};
  }

 private:
  mutable std::mutex mutex_;  ///< innermost
  std::unordered_set<ObjectNumber> objects_;
};

}  // namespace dgfs::view
