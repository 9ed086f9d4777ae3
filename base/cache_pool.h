// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CachePool: one budget of memory for several caches. A cache that others ask more of gets smaller.
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

/// Thread-safe. Caches give up at once whatever is beyond the budget, each in proportion to its
/// bytes: a cache that nobody puts anything into shrinks, and one that misses grows. In balance all
/// miss alike for each byte that they have.
class CachePool {
 public:
  /// @param bytes_max  of all caches, and of what is held beside them
  explicit CachePool(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  CachePool(const CachePool&) = delete;
  CachePool& operator=(const CachePool&) = delete;

  /// Of one cache. Thread-safe. Declared behind all that `give_up` uses, so that it ends before.
  class Share {
   public:
    /// Frees so many bytes of the cache, of what it wants least, or all; returns how many. It is
    /// called on any threads that put something into the pool, and takes the locks of its cache:
    /// whoever calls settle() has none of them. It must not throw.
    using GiveUp = std::function<std::size_t(std::size_t bytes)>;

    /// @param pool  null: the cache has only the bounds that it has by itself
    Share(std::shared_ptr<CachePool> pool, GiveUp give_up);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// A part of the cache, or all of it, had some bytes and has others now.
    void change(std::size_t before_bytes, std::size_t now_bytes) noexcept;
    /// Whether nothing has to go for so many more.
    [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
      return !pool_ || pool_->bytes() + bytes <= pool_->bytes_max();
    }
    /// Makes the pool as small as it has to be. Where another thread is at it, this cache alone
    /// gives up something. Without any lock of a cache.
    void settle() noexcept {
      if (pool_ && pool_->is_full() && !pool_->press()) give_up_(pool_->excess_bytes());
    }

   private:
    friend class CachePool;
    const std::shared_ptr<CachePool> pool_;
    const GiveUp give_up_;
    std::atomic<std::size_t> bytes_ = 0;
    double debt_bytes_ = 0;  ///< with CachePool::mutex_: that it has to give up before others
  };

  /// Somebody holds memory beside the caches, which leaves them less.
  void note_held(std::size_t before_bytes, std::size_t now_bytes) noexcept {
    bytes_ += now_bytes - before_bytes;
  }
  void settle() noexcept {
    if (is_full()) static_cast<void>(press());
  }

  [[nodiscard]] std::size_t bytes_max() const { return bytes_max_; }
  /// Now, of all.
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
  std::mutex mutex_;  ///< before those of caches; what follows
  std::vector<Share*> shares_;
};

}  // namespace dgfs
