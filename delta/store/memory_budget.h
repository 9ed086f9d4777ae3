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
#include <utility>

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

  explicit MemoryBudget(std::size_t bytes) : bytes_(bytes) {}

  /// What a holder has now. A change of it is seen by those who ask from then on.
  void note(Holder holder, std::size_t bytes) {
    held_[static_cast<std::size_t>(holder)].store(bytes, std::memory_order_relaxed);
  }

  /// What somebody has in hand until it ends. Ends before the budget.
  class Share {
   public:
    Share(MemoryBudget& budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {
      budget_.in_hand_.fetch_add(bytes, std::memory_order_relaxed);
    }
    ~Share() { budget_.in_hand_.fetch_sub(bytes_, std::memory_order_relaxed); }
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

  const std::size_t bytes_;
  std::array<std::atomic<std::size_t>, static_cast<std::size_t>(Holder::kHoldersEnd)> held_{};
  std::atomic<std::size_t> in_hand_{0};
};

}  // namespace dgfs::delta
