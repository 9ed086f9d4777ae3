// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SharedCache: recently used values, bounded in bytes, cut into shards so that threads seldom
// wait for each other. Several threads that miss the same key at once load it once.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "reader/image.h"

namespace dgfs::reader {

/// Least recently used values go first. Thread-safe. A value larger than a shard's share of the
/// budget is handed out but not kept. `Hash` must spread its low bits.
template <class Key, class Value, class Hash>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<const Value>;
  /// A value and what it counts against the budget.
  struct Loaded {
    Pointer value;
    std::size_t bytes = 0;
  };

  SharedCache(std::size_t budget_bytes, std::size_t shards_max)
      : shards_(std::clamp<std::size_t>(budget_bytes / kShardBytesMin, 1, shards_max)),
        shard_budget_bytes_(budget_bytes / shards_.size()) {}

  /// The value of `key`, made by `load()` (Result<Loaded>) if it is not here. Who waits for
  /// another thread's load gets that one's result, an error or exception too.
  /// A cache without a budget has nothing to share, and lets everybody load.
  template <class Load>
  [[nodiscard]] Result<Pointer> get(const Key& key, const Load& load) {
    Shard& shard = shard_of(key);
    if (shard_budget_bytes_ == 0) return shard.load_unkept(load);
    std::shared_ptr<Flight> flight;
    {
      std::unique_lock lock(shard.mutex);
      if (auto found = shard.find(key)) return found;
      const auto under_way = shard.flights.find(key);
      if (under_way != shard.flights.end()) return shard.wait(lock, under_way->second);
      flight = std::make_shared<Flight>();
      shard.flights.emplace(key, flight);
      ++shard.misses;
    }
    return shard.land(key, *flight, shard.fly(key, *flight, load), shard_budget_bytes_);
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
    const std::lock_guard lock(shard.mutex);
    shard.keep(key, std::move(loaded), shard_budget_bytes_);
  }

  /// Another form of the value that is here; nothing where there is none any more. The old one
  /// lives on with who has it.
  void replace(const Key& key, Loaded loaded) {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    if (shard.remove(key)) shard.keep(key, std::move(loaded), shard_budget_bytes_);
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
  };
  // A load under way. Guarded by the shard's mutex.
  struct Flight {
    std::condition_variable landed;
    std::optional<Result<Pointer>> result;
    std::exception_ptr exception;  // of a load that ended by it: out of memory
  };

  struct Shard {
    mutable std::mutex mutex;
    std::list<Item> items;  // most recently used first
    std::unordered_map<Key, typename std::list<Item>::iterator, Hash> places;
    std::unordered_map<Key, std::shared_ptr<Flight>, Hash> flights;
    std::size_t bytes = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;

    Pointer find(const Key& key) {
      const auto place = places.find(key);
      if (place == places.end()) return nullptr;
      ++hits;
      items.splice(items.begin(), items, place->second);
      return place->second->loaded.value;
    }

    template <class Load>
    Result<Pointer> load_unkept(const Load& load) {
      DGFS_TRY(loaded, load());
      const std::lock_guard lock(mutex);
      ++misses;
      return std::move(loaded.value);
    }

    Result<Pointer> wait(std::unique_lock<std::mutex>& lock, std::shared_ptr<Flight> flight) {
      ++hits;
      flight->landed.wait(lock, [&] { return flight->result || flight->exception; });
      if (flight->exception) std::rethrow_exception(flight->exception);
      return *flight->result;
    }

    // A flight that never landed would keep all who want the value waiting for ever.
    template <class Load>
    Result<Loaded> fly(const Key& key, Flight& flight, const Load& load) {
      try {
        return load();
      } catch (...) {
        const std::lock_guard lock(mutex);
        flight.exception = std::current_exception();
        flight.landed.notify_all();
        flights.erase(key);
        throw;
      }
    }

    Result<Pointer> land(const Key& key, Flight& flight, Result<Loaded> loaded,
                         std::size_t budget_bytes) {
      const std::lock_guard lock(mutex);
      if (loaded) {
        flight.result.emplace(loaded.assume_value().value);
      } else {
        flight.result.emplace(std::move(loaded).assume_error());
      }
      flight.landed.notify_all();
      flights.erase(key);
      if (loaded) keep(key, std::move(loaded).assume_value(), budget_bytes);
      return *flight.result;
    }

    void keep(const Key& key, Loaded loaded, std::size_t budget_bytes) {
      loaded.bytes += kItemOverheadBytes;
      if (loaded.bytes > budget_bytes || places.contains(key)) return;
      while (bytes + loaded.bytes > budget_bytes) evict();
      std::list<Item> item;  // both or neither: memory may end between them
      item.push_front({key, std::move(loaded)});
      places.emplace(key, item.begin());
      bytes += item.front().loaded.bytes;
      items.splice(items.begin(), item);
    }

    void evict() {
      remove(items.back().key);
      ++evictions;
    }

    bool remove(const Key& key) {
      const auto place = places.find(key);
      if (place == places.end()) return false;
      const auto item = place->second;
      bytes -= item->loaded.bytes;
      places.erase(place);
      items.erase(item);
      return true;
    }
  };

  Shard& shard_of(const Key& key) { return shards_[Hash{}(key) % shards_.size()]; }

  std::vector<Shard> shards_;
  std::size_t shard_budget_bytes_;
};

}  // namespace dgfs::reader
