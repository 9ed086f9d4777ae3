// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PlaceTable: finds the place of a cached value by its key. It is a table in one block of memory: a
// search that finds nothing touches one cache line, instead of the buckets and nodes of a chained
// hash table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/mix.h"

namespace dgfs::reader {

/// Open addressing with linear probing, at most half full. Place() marks a free slot. Not
/// thread-safe.
template <class Key, class Place, class Hash>
class PlaceTable {
 public:
  /// Place() if `key` is not in the table.
  [[nodiscard]] Place find(const Key& key) const {
    return slots_.empty() ? Place() : slots_[slot_of(key)].place;
  }
  /// `key` must not be in the table. Unchanged if memory runs out.
  void insert(const Key& key, Place place) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    slots_[slot_of(key)] = {key, place};
    ++size_;
  }
  /// `key` must be in the table.
  void erase(const Key& key) {
    const auto mask = slots_.size() - 1;
    auto hole = slot_of(key);
    // The slots behind, up to a free one, may hold keys that were displaced by this one: move them
    // up.
    for (auto next = hole;;) {
      next = (next + 1) & mask;
      if (slots_[next].place == Place()) break;
      const auto distance = (next - home_of(slots_[next].key)) & mask;
      if (distance < ((next - hole) & mask)) continue;
      slots_[hole] = slots_[next];
      hole = next;
    }
    slots_[hole].place = Place();
    --size_;
  }

 private:
  struct Slot {
    Key key{};
    Place place{};
  };
  static constexpr std::size_t kSlotsMin = 16;

  [[nodiscard]] std::size_t home_of(const Key& key) const {
    return static_cast<std::size_t>(storage::mix(0, Hash{}(key))) & (slots_.size() - 1);
  }
  /// Slot of `key`, or the free slot that it would get.
  [[nodiscard]] std::size_t slot_of(const Key& key) const {
    auto slot = home_of(key);
    while (slots_[slot].place != Place() && !(slots_[slot].key == key)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? kSlotsMin : 2 * slots_.size());
    slots_.swap(before);
    for (const auto& slot : before) {
      if (slot.place != Place()) slots_[slot_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< a power of two of them, or none
  std::size_t size_ = 0;
};

}  // namespace dgfs::reader
