// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CachePool: one memory budget that several caches share. A busy cache takes memory from idle ones.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace dgfs {

/// Thread-safe. When the caches exceed the budget, they free the excess at once, each in proportion
/// to its bytes. So a cache into which nothing is put shrinks, and a cache that misses grows. In
/// balance, all caches miss equally often per byte that they hold.
class CachePool {
 public:
  /// @param bytes_max  budget for all caches and for the memory reported by note_held()
  explicit CachePool(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  CachePool(const CachePool&) = delete;
  CachePool& operator=(const CachePool&) = delete;

  /// The share of one cache. Thread-safe. Declare it after all members that `give_up` uses, so that
  /// it is destroyed before them.
  class Share {
   public:
    /// Frees `bytes` bytes of the cache, or all if it has fewer, the least wanted first; returns
    /// how many it freed. Any thread that puts something into a cache of the pool may call it. It
    /// takes the locks of its cache, so a caller of settle() must hold none of them. It must not
    /// throw.
    using GiveUp = std::function<std::size_t(std::size_t bytes)>;

    /// @param pool  null: the cache has only its own bounds
    Share(std::shared_ptr<CachePool> pool, GiveUp give_up);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Records that a part of the cache, or all of it, had `before_bytes` and now has `now_bytes`.
    void change(std::size_t before_bytes, std::size_t now_bytes) noexcept;
    /// Whether `bytes` more fit into the budget without freeing anything.
    [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
      return !pool_ || pool_->bytes() + bytes <= pool_->bytes_max();
    }
    /// Shrinks the pool to its budget. If another thread is doing that already, only this cache
    /// gives up memory. The caller must not hold the lock of any cache.
    void settle() noexcept {
      if (pool_ && pool_->is_full() && !pool_->press()) give_up_(pool_->excess_bytes());
    }

   private:
    friend class CachePool;
    const std::shared_ptr<CachePool> pool_;
    const GiveUp give_up_;
    std::atomic<std::size_t> bytes_ = 0;
    /// Guarded by CachePool::mutex_. The cache with the largest debt gives up first.
    double debt_bytes_ = 0;
  };

  /// Records memory that is held beside the caches. It leaves less of the budget to them.
  void note_held(std::size_t before_bytes, std::size_t now_bytes) noexcept {
    bytes_ += now_bytes - before_bytes;
  }
  void settle() noexcept {
    if (is_full()) static_cast<void>(press());
  }

  [[nodiscard]] std::size_t bytes_max() const { return bytes_max_; }
  /// Bytes in use now, by the caches and beside them.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] bool is_full() const { return bytes_ > bytes_max_; }
  [[nodiscard]] std::size_t excess_bytes() const {
    const std::size_t bytes = bytes_;
    return bytes - std::min(bytes, bytes_max_);
  }
  [[nodiscard]] bool press() noexcept;
  [[nodiscard]] bool press_once(std::size_t excess_bytes) noexcept;

  const std::size_t bytes_max_;
  std::atomic<std::size_t> bytes_ = 0;
  std::mutex mutex_;  ///< guards what follows; taken before the locks of caches
  std::vector<Share*> shares_;
};

}  // namespace dgfs
