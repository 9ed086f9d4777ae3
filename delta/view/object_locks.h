// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectLocks: a lock for each object that is being changed; other objects need no memory.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "delta/view/object.h"

namespace dgfs::view {

/// Thread-safe. A caller asks for all its locks together; they are taken in the order of the object
/// numbers, so that no deadlock is possible.
class ObjectLocks {
 public:
  /// Some locks, held until this ends. For one thread.
  class Held {
   public:
    /// @param objects  in any order; duplicates are allowed
    Held(ObjectLocks& locks, std::vector<ObjectNumber> objects);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    [[nodiscard]] bool has(ObjectNumber object) const;

   private:
    ObjectLocks& locks_;
    std::vector<ObjectNumber> objects_;  ///< in rising order
  };

 private:
  /// The locked objects with the same number modulo kShards.
  struct Shard {
    std::mutex mutex;  ///< innermost; guards the set
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
