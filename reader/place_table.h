// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PlaceTable: where the values of a cache stand, by key, in one piece of memory: a search that
// finds nothing touches one line of it, not the buckets and nodes of a hash table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/mix.h"

namespace dgfs::reader {

/// At most half full; who finds a place taken goes to the next one. A place that equals Place() is
/// none. Not thread-safe.
template <class Key, class Place, class Hash>
class PlaceTable {
 public:
  /// Place(): it is not here.
  [[nodiscard]] Place find(const Key& key) const {
    return slots_.empty() ? Place() : slots_[slot_of(key)].place;
  }
  /// `key` must not be here. As before if memory ends.
  void insert(const Key& key, Place place) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    slots_[slot_of(key)] = {key, place};
    ++size_;
  }
  /// `key` must be here.
  void erase(const Key& key) {
    const auto mask = slots_.size() - 1;
    auto hole = slot_of(key);
    // Those behind, up to a free place, may be here because others were before them.
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
  /// Where `key` is, or would be.
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

  std::vector<Slot> slots_;  ///< a power of two, or none
  std::size_t size_ = 0;
};

}  // namespace dgfs::reader
