// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ListingDropper: a thread that makes the kernel forget listings that it keeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "format/entry/entry.h"

namespace dgfs::fuse {

/// Thread-safe. The thread serves no requests: the kernel waits for the pages of a listing, which
/// a program may hold that waits for an answer.
class ListingDropper {
 public:
  using Drop = std::function<void(format::InodeNumber directory)>;

  ListingDropper() = default;
  ~ListingDropper() { stop(); }
  ListingDropper(const ListingDropper&) = delete;
  ListingDropper& operator=(const ListingDropper&) = delete;

  /// Starts the thread, which inherits the caller's blocked signals. Returns false if the system
  /// has no thread left.
  /// @param drop  makes the kernel forget one listing; throws nothing
  [[nodiscard]] bool start(Drop drop) noexcept;
  /// Ends the thread after the listing that it drops now; the others are kept.
  void stop() noexcept;

  /// Drops the listings in this order, after all earlier ones. Throws std::bad_alloc.
  void add(const std::vector<format::InodeNumber>& directories);
  /// How many are still to be dropped.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void run();

  Drop drop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<format::InodeNumber> waiting_;  // guarded by mutex_
  bool is_ending_ = false;                   // likewise
  std::atomic<std::size_t> size_ = 0;
  std::thread thread_;
};

}  // namespace dgfs::fuse
