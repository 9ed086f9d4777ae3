// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SharedCache: a cache of recently used values, bounded in bytes and split into shards, so that
// threads seldom wait for each other. If several threads miss the same key at once, one of them
// loads it. An image uses three such caches, alone or shared with other images;
// reader/opened_caches.h says why three.
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

/// Eviction is by second chance: values go in the order in which they came, and a value used
/// meanwhile gets another turn. This is nearly least-recently-used, and a use moves no list node.
/// Thread-safe. A value larger than the budget of a shard is returned but not kept. `Hash` must
/// spread its low bits.
///
/// Once full, a cache with a window admits a value on its second miss within about `window` other
/// misses (as TinyLFU's doorkeeper does), so a value that is used only once evicts no others. Each
/// shard still holds the last value that it refused, so a caller that goes on using it does not
/// load it again.
template <class Key, class Value, class Hash>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<const Value>;
  /// A value and its bytes in the budget.
  struct Loaded {
    Pointer value;
    std::size_t bytes = 0;
  };

  /// @param window  misses, of all shards together; 0: every missed value is kept
  /// @param pool    budget shared with other caches, which can leave this one less; null: none
  SharedCache(std::size_t budget_bytes, std::size_t shards_max, std::size_t window = 0,
              std::shared_ptr<CachePool> pool = nullptr)
      : shards_(std::clamp<std::size_t>(budget_bytes / kShardBytesMin, 1, shards_max)),
        shard_budget_bytes_(budget_bytes / shards_.size()),
        share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {
    for (auto& shard : shards_) shard.doorkeeper = Doorkeeper(window / shards_.size());
  }

  /// The value of `key`. If it is not cached, `load()` (which returns Result<Loaded>) makes it. A
  /// thread that waits for the load of another thread gets its result, also an error or exception.
  /// With a budget of 0 nothing is shared: each call loads.
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

  /// The value if it is cached, else nullptr. Counts a hit or a miss.
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

  /// Replaces a cached value by another form of it. Does nothing if the value is no longer cached.
  /// Callers that hold the old form can go on using it.
  void replace(const Key& key, Loaded loaded) {
    Shard& shard = shard_of(key);
    {
      const std::lock_guard lock(shard.mutex);
      if (shard.remove(key)) shard.insert(key, std::move(loaded), shard_budget_bytes_);
      shard.tell(share_);
    }
    share_.settle();
  }

  /// Removes the values whose keys satisfy `is_dropped`. They do not count as evictions. Allocates
  /// nothing.
  template <class IsDropped>
  void drop(const IsDropped& is_dropped) {
    for (auto& shard : shards_) {
      std::list<Item> dropped;  // destroyed after the mutex is released
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
    bool is_used = false;  // since it was last put to the front
  };
  using Place = typename std::list<Item>::iterator;
  // Result of a load that other threads wait for. Guarded by the shard's mutex.
  struct Landing {
    std::condition_variable landed;
    std::optional<Result<Pointer>> result;
    std::exception_ptr exception;  // thrown by the load: out of memory
  };
  // Budget of a shard, and share in the common budget of all caches.
  struct Limits {
    std::size_t shard_bytes;
    CachePool::Share* share;
  };
  // A load under way.
  struct Flight {
    Key key;
    std::shared_ptr<Landing> landing;  // made by the first thread that waits
  };

  struct Shard {
    mutable std::mutex mutex;
    std::list<Item> items;  // the last one is evicted next, unless it is used
    PlaceTable<Key, Place, Hash> places;
    std::vector<Flight> flights;  // few
    Doorkeeper doorkeeper;
    std::optional<Item> refused;  // the last refused value
    std::size_t bytes = 0;        // including the refused value
    std::size_t told_bytes = 0;   // reported to the pool
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
      const auto landing = flight.landing;  // the flight may be removed meanwhile
      landing->landed.wait(lock, [&] { return landing->result || landing->exception; });
      if (landing->exception) std::rethrow_exception(landing->exception);
      return *landing->result;
    }

    // Ends the flight. Returns the landing for the result, or null if no thread waits.
    std::shared_ptr<Landing> end_flight(const Key& key) {
      Flight& flight = *find_flight(key);
      auto landing = std::move(flight.landing);
      std::swap(flight, flights.back());
      flights.pop_back();
      if (landing) landing->landed.notify_all();  // they see the result once the mutex is released
      return landing;
    }

    // A flight must end also by an exception: else all threads that want the value wait for ever.
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
      // Both list and table get the item, or neither does if an allocation fails.
      std::list<Item> item;
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

    // Frees at least `wanted_bytes`, if there are so many, from the values used least. Returns the
    // bytes freed.
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

    // Returns whether the value was cached.
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

  // Called by the pool. Begins with another shard each time.
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
