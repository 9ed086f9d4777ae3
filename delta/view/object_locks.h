// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectLocks: a lock for each object that somebody changes, and none for the others.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "delta/view/object.h"

namespace dgfs::view {

/// Thread-safe. Whoever wants several asks for them together: they are taken in the order of their
/// numbers, so that nobody waits for anybody who waits for him.
class ObjectLocks {
 public:
  /// Some locks, until it ends. For one thread.
  class Held {
   public:
    /// @param objects  in any order, also twice
    Held(ObjectLocks& locks, std::vector<ObjectNumber> objects);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    [[nodiscard]] bool has(ObjectNumber object) const;

   private:
    ObjectLocks& locks_;
    std::vector<ObjectNumber> objects_;  ///< rising
  };

 private:
  /// Of objects that have the same remainder.
  struct Shard {
    std::mutex mutex;  ///< innermost; the set
    std::condition_variable is_free;
    std::unordered_set<ObjectNumber> locked;
  };
  static constexpr std::size_t kShards = 64;

  [[nodiscard]] Shard& shard_of(ObjectNumber object) { return shards_[object % kShards]; }
  void lock(ObjectNumber object);
  void unlock(ObjectNumber object) noexcept;

  std::array<Shard, kShards> shards_;
};

}  // namespace dgfs::view
