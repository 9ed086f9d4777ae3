// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// BlockCache: keeps decoded blocks that were read. A block that was used once only, as by a scan,
// is dropped first; a block must be used again to be protected (segmented LRU). It does not use
// reader/shared_cache.h: readers find a block by a weak pointer, so this cache only decides how
// long blocks stay, and a freed block must be erased here too.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/cache_pool.h"
#include "delta/store/memory_budget.h"

namespace dgfs::delta {

/// Thread-safe.
class BlockCache {
 public:
  /// @param bytes_max  of cached blocks, whether or not others share them
  /// @param budget     the cache shrinks when other parts of the store leave less of the budget;
  ///                   null: it does not; must outlive the cache
  /// @param pool       shared with other caches; null: none
  explicit BlockCache(std::size_t bytes_max, const MemoryBudget* budget = nullptr,
                      std::shared_ptr<CachePool> pool = nullptr)
      : bytes_max_(bytes_max),
        budget_(budget),
        share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {}

  /// @param offset_bytes  of the block in its file
  void insert(std::uint64_t offset_bytes, std::shared_ptr<const void> value, std::size_t bytes);
  /// A reader has used the block.
  void touch(std::uint64_t offset_bytes);
  /// Drops blocks that no longer fit, after other parts have taken memory.
  void shrink();
  /// The block was freed.
  void erase(std::uint64_t offset_bytes);

  [[nodiscard]] std::size_t size_bytes() const;

 private:
  struct Entry {
    std::uint64_t offset_bytes;
    std::shared_ptr<const void> value;
    std::size_t bytes;
    bool is_protected;
  };
  using Entries = std::list<Entry>;  ///< the last used first

  [[nodiscard]] Entries& list_of(const Entry& entry) {
    return entry.is_protected ? protected_ : entries_;
  }
  [[nodiscard]] std::size_t bytes_max() const {
    return budget_ == nullptr ? bytes_max_ : std::min(bytes_max_, budget_->left_bytes());
  }
  [[nodiscard]] std::size_t give_up(std::size_t bytes);
  void drop(Entries::iterator entry, Entries& dropped);
  void drop_above(std::size_t bytes_max, Entries& dropped);
  void protect_less(std::size_t bytes_max);

  mutable std::mutex mutex_;
  const std::size_t bytes_max_;
  const MemoryBudget* const budget_;
  std::atomic<std::size_t> bytes_ = 0;  ///< also read without the lock
  std::size_t protected_bytes_ = 0;
  Entries entries_;    ///< used once
  Entries protected_;  ///< used again
  std::unordered_map<std::uint64_t, Entries::iterator> places_;
  CachePool::Share share_;
};

}  // namespace dgfs::delta
