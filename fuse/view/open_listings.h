// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OpenListings: the directories that programs have open, by the handles that the kernel uses.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "delta/view/listing.h"

namespace dgfs::fuse {

/// Thread-safe. Destroys the listings that are still open: after the end of a connection the kernel
/// closes none.
class OpenListings {
 public:
  /// Returns the handle; never 0. Throws std::bad_alloc.
  [[nodiscard]] std::uint64_t add(std::unique_ptr<view::Listing> listing) {
    const std::lock_guard lock(mutex_);
    open_.emplace(++last_, std::move(listing));
    return last_;
  }
  /// Returns null if there is no such handle.
  [[nodiscard]] std::shared_ptr<view::Listing> find(std::uint64_t handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(handle);
    return found == open_.end() ? nullptr : found->second;
  }
  void remove(std::uint64_t handle) {
    std::shared_ptr<view::Listing> ending;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(handle);
    if (found == open_.end()) return;
    ending = std::move(found->second);
    open_.erase(found);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<view::Listing>> open_;
  std::uint64_t last_ = 0;
};

}  // namespace dgfs::fuse
