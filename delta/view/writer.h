// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Writer: makes changes. It takes the locks that a change needs, calls `decide`, and applies the
// records as one batch. If a lock is missing, or the store has no room, it starts again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/view/change.h"
#include "delta/view/generations.h"
#include "delta/view/orphans.h"
#include "storage/env.h"

namespace dgfs::view {

/// Thread-safe.
///
/// Lock order: the lock of moving directories, the locks of objects by their numbers, the gate of
/// the generations, the locks of the store. No lock of an object is held while the store makes
/// room.
class Writer {
 public:
  /// All must outlive it.
  Writer(storage::Env& env, Generations& generations, Orphans& orphans)
      : env_(env), generations_(generations), orphans_(orphans) {}

  /// @param objects  the change needs their locks; decide() may ask for more
  /// @param decide   reads the moment and writes into the change; none: it lacks a lock. May be
  ///                 called several times, each time with a new change.
  /// Errors: those of `decide` and of Store::apply(). On return the change is durable if the store
  /// is synchronous.
  template <class T>
  [[nodiscard]] Result<T> change(std::vector<ObjectNumber> objects,
                                 const std::function<Result<std::optional<T>>(Change&)>& decide) {
    std::optional<T> result;
    const auto decide_once = [&](Change& change) -> Result<bool> {
      DGFS_TRY(decided, decide(change));
      result = std::move(decided);
      return result.has_value();
    };
    DGFS_CHECK(make(std::move(objects), decide_once));
    return *std::move(result);
  }

  /// Sequence number of the last batch that changed the object, or of a later batch.
  [[nodiscard]] std::uint64_t last_change(ObjectNumber object) const {
    return last_changes_[object % kLastChanges];
  }

 private:
  using Decide = std::function<Result<bool>(Change&)>;
  static constexpr std::size_t kLastChanges = 4096;

  [[nodiscard]] Status make(std::vector<ObjectNumber> objects, const Decide& decide);
  /// Facts that an attempt leaves to the next one. A value.
  struct Attempt {
    GenerationRef generation;  ///< that it was made on
    bool moves_directories = false;
    delta::Batch waiting;  ///< for room; empty: for nothing
  };
  [[nodiscard]] Result<bool> try_once(std::vector<ObjectNumber>& objects, const Decide& decide,
                                      Attempt& attempt);
  [[nodiscard]] Result<bool> apply(const Change& change, const std::vector<ObjectNumber>& objects,
                                   delta::Store::Patience patience, Attempt& attempt);
  [[nodiscard]] Status sync(const std::vector<ObjectNumber>& objects) const;
  void note(ObjectNumber object, std::uint64_t sequence);

  storage::Env& env_;
  Generations& generations_;
  Orphans& orphans_;
  std::mutex moving_directories_;
  ObjectLocks locks_;
  /// By object modulo kLastChanges. So a sync of an object may wait for a batch of another object,
  /// but it never misses a batch of its own.
  std::array<std::atomic<std::uint64_t>, kLastChanges> last_changes_{};
};

}  // namespace dgfs::view
