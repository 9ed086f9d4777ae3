// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MemoryBudget: how much memory a store may hold, and how much its parts hold now. The cache of
// blocks gets what the other parts leave: in an idle store nearly all of it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/cache_pool.h"

namespace dgfs::delta {

/// Thread-safe. The budget bounds only the cache. Other parts have their own bounds, which are
/// shares of the budget (StoreOptions), and report here how much they hold.
class MemoryBudget {
 public:
  /// Parts of a store that hold memory, except caches.
  enum class Holder : std::uint8_t {
    kTables,      ///< changes that wait for the tree
    kTree,        ///< unwritten blocks of it
    kValues,      ///< unbound large values
    kFilter,      ///< the filter of objects
    kSpaceMaps,   ///< free stretches of the files
    kHoldersEnd,  ///< the number of holders
  };

  /// @param pool  of the store's caches and of others; memory of the holders is taken from it;
  ///              null: none
  explicit MemoryBudget(std::size_t bytes, std::shared_ptr<CachePool> pool = nullptr)
      : bytes_(bytes), pool_(std::move(pool)) {}
  ~MemoryBudget() {
    for (auto& each : held_) replace(each, 0);
  }
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Notes how much memory a holder has now.
  void note(Holder holder, std::size_t bytes) {
    replace(held_[static_cast<std::size_t>(holder)], bytes);
  }

  /// Memory that a call has in hand, until this ends. Ends before the budget.
  class Share {
   public:
    Share(MemoryBudget& budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {
      budget_.in_hand_.fetch_add(bytes, std::memory_order_relaxed);
      if (budget_.pool_) budget_.pool_->note_held(0, bytes_);
    }
    ~Share() {
      budget_.in_hand_.fetch_sub(bytes_, std::memory_order_relaxed);
      if (budget_.pool_) budget_.pool_->note_held(bytes_, 0);
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    MemoryBudget& budget_;
    std::size_t bytes_;
  };

  /// Memory left for the cache of blocks. At least an eighth of the budget, because a merge reads
  /// the same nodes repeatedly.
  [[nodiscard]] std::size_t left_bytes() const {
    std::size_t held = in_hand_.load(std::memory_order_relaxed);
    for (const auto& each : held_) held += each.load(std::memory_order_relaxed);
    return std::max(bytes_ - std::min(bytes_, held), bytes_ / kLeastShare);
  }

 private:
  static constexpr std::size_t kLeastShare = 8;

  void replace(std::atomic<std::size_t>& held, std::size_t bytes) {
    const auto before = held.exchange(bytes, std::memory_order_relaxed);
    if (pool_) pool_->note_held(before, bytes);
  }

  const std::size_t bytes_;
  const std::shared_ptr<CachePool> pool_;
  std::array<std::atomic<std::size_t>, static_cast<std::size_t>(Holder::kHoldersEnd)> held_{};
  std::atomic<std::size_t> in_hand_{0};
};

}  // namespace dgfs::delta
