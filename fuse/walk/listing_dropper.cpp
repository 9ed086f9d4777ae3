// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/walk/listing_dropper.h"

#include <exception>
#include <utility>

namespace dgfs::fuse {

bool ListingDropper::start(Drop drop) noexcept {
  try {
    drop_ = std::move(drop);
    thread_ = std::thread([this] { run(); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void ListingDropper::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ListingDropper::add(const std::vector<format::InodeNumber>& directories) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.end(), directories.begin(), directories.end());
    size_ = waiting_.size();
  }
  changed_.notify_one();
}

void ListingDropper::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) return;
    const auto directory = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    drop_(directory);
    lock.lock();
    size_ = waiting_.size();
  }
}

}  // namespace dgfs::fuse
