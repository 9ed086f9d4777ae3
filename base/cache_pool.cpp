// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/cache_pool.h"

#include <utility>

namespace dgfs {

CachePool::Share::Share(std::shared_ptr<CachePool> pool, GiveUp give_up)
    : pool_(std::move(pool)), give_up_(std::move(give_up)) {
  if (!pool_) return;
  const std::lock_guard lock(pool_->mutex_);
  pool_->shares_.push_back(this);
}

CachePool::Share::~Share() {
  if (!pool_) return;
  const std::lock_guard lock(pool_->mutex_);  // from here on no thread calls give_up_
  std::erase(pool_->shares_, this);
  change(bytes_, 0);
}

void CachePool::Share::change(std::size_t before_bytes, std::size_t now_bytes) noexcept {
  if (!pool_) return;
  bytes_ += now_bytes - before_bytes;
  pool_->note_held(before_bytes, now_bytes);
}

// Returns false if another thread is already at it. The caller must not wait for that thread:
// values that it frees may take locks of their own, and the caller may hold one of these locks.
bool CachePool::press() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  while (is_full() && press_once(excess_bytes())) {
  }
  return true;
}

// Returns false if nothing was freed.
bool CachePool::press_once(std::size_t excess_bytes) noexcept {
  std::size_t all = 0;
  for (const Share* share : shares_) all += share->bytes_;
  if (all == 0) return false;
  Share* most = nullptr;
  for (Share* share : shares_) {
    const std::size_t bytes = share->bytes_;
    const auto part = static_cast<double>(bytes) / static_cast<double>(all);
    share->debt_bytes_ += part * static_cast<double>(excess_bytes);
    const bool is_more = most == nullptr || share->debt_bytes_ > most->debt_bytes_ ||
                         (share->debt_bytes_ == most->debt_bytes_ && bytes > most->bytes_);
    if (bytes != 0 && is_more) most = share;
  }
  if (most == nullptr) return false;
  const auto freed = most->give_up_(excess_bytes);
  most->debt_bytes_ -= static_cast<double>(freed);
  return freed != 0;
}

}  // namespace dgfs
