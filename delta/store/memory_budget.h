// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MemoryBudget: what a store may hold in memory, and how much of it its parts hold now. Caches get
// what the others leave: a store that nobody writes to has nearly all of it for blocks.
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

/// Thread-safe. It bounds the cache alone: other parts have bounds of their own, which are shares
/// of the budget (StoreOptions), and say here how much they hold.
class MemoryBudget {
 public:
  /// Who holds memory, but for caches.
  enum class Holder : std::uint8_t {
    kTables,      ///< of changes that wait for the tree
    kTree,        ///< blocks of it that are not written
    kValues,      ///< large ones that are not bound
    kFilter,      ///< of prefixes
    kSpaceMaps,   ///< free stretches of files
    kHoldersEnd,  ///< how many there are
  };

  /// @param pool  of the store's caches and of others: what the holders have leaves it less; null:
  ///              none
  explicit MemoryBudget(std::size_t bytes, std::shared_ptr<CachePool> pool = nullptr)
      : bytes_(bytes), pool_(std::move(pool)) {}
  ~MemoryBudget() {
    for (auto& each : held_) replace(each, 0);
  }
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// What a holder has now. A change of it is seen by those who ask from then on.
  void note(Holder holder, std::size_t bytes) {
    replace(held_[static_cast<std::size_t>(holder)], bytes);
  }

  /// What somebody has in hand until it ends. Ends before the budget.
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

  /// What is left for blocks that were read: an eighth of all at least, since a merge reads nodes
  /// again and again.
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
