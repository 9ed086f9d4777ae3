// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SharedCache: recently used values, bounded in bytes, cut into shards so that threads seldom
// wait for each other. Several threads that miss the same key at once load it once. An image has
// three of them, or a part of them; reader/opened_caches.h says why.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/cache_pool.h"
#include "base/result.h"
#include "reader/counters.h"
#include "reader/doorkeeper.h"
#include "reader/node.h"
#include "reader/place_table.h"

namespace dgfs::reader {

/// Values go in the order in which they came, but those that were used meanwhile get another turn
/// (second chance: nearly the least recently used first, and a use moves nothing). Thread-safe. A
/// value larger than a shard's share of the budget is handed out but not kept. `Hash` must spread
/// its low bits.
///
/// A cache with a window, once it is full, keeps what is missed a second time within about so many
/// misses: what is used once by chance neither drives others out nor costs the keeping. Of those
/// refused each shard has the last at hand, so that who goes on with it need not load it again.
template <class Key, class Value, class Hash>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<const Value>;
  /// A value and what it counts against the budget.
  struct Loaded {
    Pointer value;
    std::size_t bytes = 0;
  };

  /// @param window  misses, of all shards; 0: whatever is missed is kept
  /// @param pool    leaves the cache less than its own budget where others need it; null: none
  SharedCache(std::size_t budget_bytes, std::size_t shards_max, std::size_t window = 0,
              std::shared_ptr<CachePool> pool = nullptr)
      : shards_(std::clamp<std::size_t>(budget_bytes / kShardBytesMin, 1, shards_max)),
        shard_budget_bytes_(budget_bytes / shards_.size()),
        share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {
    for (auto& shard : shards_) shard.doorkeeper = Doorkeeper(window / shards_.size());
  }

  /// The value of `key`, made by `load()` (Result<Loaded>) if it is not here. Who waits for
  /// another thread's load gets that one's result, an error or exception too.
  /// A cache without a budget has nothing to share, and lets everybody load.
  template <class Load>
  [[nodiscard]] Result<Pointer> get(const Key& key, const Load& load) {
    Shard& shard = shard_of(key);
    if (shard_budget_bytes_ == 0) return shard.load_unkept(load);
    {
      std::unique_lock lock(shard.mutex);
      if (auto found = shard.find(key)) return found;
      if (auto* const flight = shard.find_flight(key)) return shard.wait(lock, *flight);
      shard.flights.push_back({key, nullptr});
      ++shard.misses;
    }
    auto result = shard.land(key, shard.fly(key, load), limits());
    share_.settle();
    return result;
  }

  /// The value if it is here, else nullptr. Counts a hit or a miss.
  [[nodiscard]] Pointer find(const Key& key) {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    auto found = shard.find(key);
    if (!found) ++shard.misses;
    return found;
  }

  void put(const Key& key, Loaded loaded) {
    Shard& shard = shard_of(key);
    {
      const std::lock_guard lock(shard.mutex);
      shard.keep(key, std::move(loaded), limits());
    }
    share_.settle();
  }

  /// Another form of the value that is here; nothing where there is none any more. The old one
  /// lives on with who has it.
  void replace(const Key& key, Loaded loaded) {
    Shard& shard = shard_of(key);
    {
      const std::lock_guard lock(shard.mutex);
      if (shard.remove(key)) shard.insert(key, std::move(loaded), shard_budget_bytes_);
      shard.tell(share_);
    }
    share_.settle();
  }

  /// Forgets the values whose keys `is_dropped` holds for. They are not evictions. Allocates
  /// nothing.
  template <class IsDropped>
  void drop(const IsDropped& is_dropped) {
    for (auto& shard : shards_) {
      std::list<Item> dropped;  // destroyed once the mutex is free
      const std::lock_guard lock(shard.mutex);
      shard.move_out(is_dropped, dropped);
      shard.tell(share_);
    }
  }

  [[nodiscard]] CacheCounters counters() const {
    CacheCounters sum;
    for (const auto& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      sum.hits += shard.hits;
      sum.misses += shard.misses;
      sum.evictions += shard.evictions;
      sum.bytes += shard.bytes;
    }
    sum.bytes_max = shard_budget_bytes_ * shards_.size();
    return sum;
  }

 private:
  // Below this a shard would hold too few values to be of use.
  static constexpr std::size_t kShardBytesMin = std::size_t{1} << 20;
  // List and table nodes of one value, roughly.
  static constexpr std::size_t kItemOverheadBytes = 128;

  struct Item {
    Key key;
    Loaded loaded;
    bool is_used = false;  // since it was put where it stands
  };
  using Place = typename std::list<Item>::iterator;
  // What comes of a load that somebody waits for. Guarded by the shard's mutex.
  struct Landing {
    std::condition_variable landed;
    std::optional<Result<Pointer>> result;
    std::exception_ptr exception;  // of a load that ended by it: out of memory
  };
  // Of a shard, and of all caches together.
  struct Limits {
    std::size_t shard_bytes;
    CachePool::Share* share;
  };
  // A load under way.
  struct Flight {
    Key key;
    std::shared_ptr<Landing> landing;  // made by the first who waits
  };

  struct Shard {
    mutable std::mutex mutex;
    std::list<Item> items;  // the last one goes next, unless it is used
    PlaceTable<Key, Place, Hash> places;
    std::vector<Flight> flights;  // few
    Doorkeeper doorkeeper;
    std::optional<Item> refused;  // the last one
    std::size_t bytes = 0;        // with that
    std::size_t told_bytes = 0;   // that the pool knows of
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;

    Pointer find(const Key& key) {
      const auto place = places.find(key);
      if (place == Place()) return find_refused(key);
      ++hits;
      place->is_used = true;
      return place->loaded.value;
    }

    Pointer find_refused(const Key& key) {
      if (!is_refused(key)) return nullptr;
      ++hits;
      return refused->loaded.value;
    }

    [[nodiscard]] bool is_refused(const Key& key) const { return refused && refused->key == key; }

    template <class Load>
    Result<Pointer> load_unkept(const Load& load) {
      DGFS_TRY(loaded, load());
      const std::lock_guard lock(mutex);
      ++misses;
      return std::move(loaded.value);
    }

    Flight* find_flight(const Key& key) {
      const auto found = std::find_if(flights.begin(), flights.end(),
                                      [&](const Flight& flight) { return flight.key == key; });
      return found == flights.end() ? nullptr : &*found;
    }

    Result<Pointer> wait(std::unique_lock<std::mutex>& lock, Flight& flight) {
      ++hits;
      if (!flight.landing) flight.landing = std::make_shared<Landing>();
      const auto landing = flight.landing;  // the flight itself may go meanwhile
      landing->landed.wait(lock, [&] { return landing->result || landing->exception; });
      if (landing->exception) std::rethrow_exception(landing->exception);
      return *landing->result;
    }

    // Ends the flight. What came of it is for who waits, if anybody does.
    std::shared_ptr<Landing> end_flight(const Key& key) {
      Flight& flight = *find_flight(key);
      auto landing = std::move(flight.landing);
      std::swap(flight, flights.back());
      flights.pop_back();
      if (landing) landing->landed.notify_all();  // who will see it once the mutex is free
      return landing;
    }

    // A flight that never landed would keep all who want the value waiting for ever.
    template <class Load>
    Result<Loaded> fly(const Key& key, const Load& load) {
      try {
        return load();
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (const auto landing = end_flight(key)) landing->exception = std::current_exception();
        throw;
      }
    }

    Result<Pointer> land(const Key& key, Result<Loaded> loaded, const Limits& limits) {
      const std::lock_guard lock(mutex);
      auto result = loaded ? Result<Pointer>(loaded.assume_value().value)
                           : Result<Pointer>(std::move(loaded).assume_error());
      if (const auto landing = end_flight(key)) landing->result.emplace(result);
      if (loaded) keep(key, std::move(loaded).assume_value(), limits);
      return result;
    }

    void keep(const Key& key, Loaded loaded, const Limits& limits) {
      const auto budget_bytes = limits.shard_bytes;
      const auto wanted_bytes = loaded.bytes + kItemOverheadBytes;
      if (wanted_bytes > budget_bytes || places.find(key) != Place() || is_refused(key)) return;
      const bool is_full =
          bytes + wanted_bytes > budget_bytes || !limits.share->has_room(wanted_bytes);
      if (is_full && !doorkeeper.lets_in(Hash{}(key))) {
        refuse(key, std::move(loaded), budget_bytes);
      } else {
        insert(key, std::move(loaded), budget_bytes);
      }
      tell(*limits.share);
    }

    void tell(CachePool::Share& share) { share.change(std::exchange(told_bytes, bytes), bytes); }

    void insert(const Key& key, Loaded loaded, std::size_t budget_bytes) {
      loaded.bytes += kItemOverheadBytes;
      if (loaded.bytes > budget_bytes) return;
      make_room(loaded.bytes, budget_bytes);
      std::list<Item> item;  // both or neither: memory may end between them
      item.push_front({key, std::move(loaded)});
      places.insert(key, item.begin());
      bytes += item.front().loaded.bytes;
      items.splice(items.begin(), item);
    }

    void refuse(const Key& key, Loaded loaded, std::size_t budget_bytes) {
      loaded.bytes += kItemOverheadBytes;
      drop_refused();
      make_room(loaded.bytes, budget_bytes);
      bytes += loaded.bytes;
      refused.emplace(Item{key, std::move(loaded)});
    }

    void make_room(std::size_t wanted_bytes, std::size_t budget_bytes) {
      if (bytes + wanted_bytes > budget_bytes) drop_refused();
      while (bytes + wanted_bytes > budget_bytes) evict();
    }

    void evict() {
      while (items.back().is_used) {
        items.back().is_used = false;
        items.splice(items.begin(), items, std::prev(items.end()));
      }
      remove(items.back().key);
      ++evictions;
    }

    // Of values that are used least.
    std::size_t give_up(std::size_t wanted_bytes) {
      const auto before_bytes = bytes;
      drop_refused();
      while (before_bytes - bytes < wanted_bytes && !items.empty()) evict();
      return before_bytes - bytes;
    }

    void drop_refused() {
      if (refused) bytes -= refused->loaded.bytes;
      refused.reset();
    }

    template <class IsMoved>
    void move_out(const IsMoved& is_moved, std::list<Item>& to) {
      if (refused && is_moved(refused->key)) drop_refused();
      for (auto next = items.begin(); next != items.end();) {
        const auto item = next++;
        if (!is_moved(item->key)) continue;
        bytes -= item->loaded.bytes;
        places.erase(item->key);
        to.splice(to.begin(), items, item);
      }
    }

    // Whether it was here.
    bool remove(const Key& key) {
      if (is_refused(key)) {
        drop_refused();
        return true;
      }
      const auto place = places.find(key);
      if (place == Place()) return false;
      bytes -= place->loaded.bytes;
      places.erase(key);
      items.erase(place);
      return true;
    }
  };

  Shard& shard_of(const Key& key) { return shards_[Hash{}(key) % shards_.size()]; }
  [[nodiscard]] Limits limits() { return {shard_budget_bytes_, &share_}; }

  // Shards take turns.
  std::size_t give_up(std::size_t bytes) {
    std::size_t freed = 0;
    for (std::size_t i = 0; i < shards_.size() && freed < bytes; ++i) {
      Shard& shard = shards_[give_up_next_++ % shards_.size()];
      const std::lock_guard lock(shard.mutex);
      freed += shard.give_up(bytes - freed);
      shard.tell(share_);
    }
    return freed;
  }

  std::vector<Shard> shards_;
  std::size_t shard_budget_bytes_;
  std::atomic<std::size_t> give_up_next_ = 0;
  CachePool::Share share_;
};

}  // namespace dgfs::reader
