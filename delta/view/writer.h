// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Writer: makes changes happen. It takes the locks that a change needs, has it decided, and applies
// what it writes as one batch; or begins anew where it lacks a lock, or has to wait.
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
#include "delta/view/orphans.h"
#include "storage/env.h"

namespace dgfs::view {

/// Thread-safe.
///
/// Locks, in this order: that of moving directories, those of objects by their numbers, those of
/// the store. No lock of an object is held while the store makes room.
class Writer {
 public:
  /// All must outlive it.
  Writer(storage::Env& env, const Layers& layers, Orphans& orphans)
      : env_(env), layers_(layers), orphans_(orphans) {}

  /// @param objects  that the change needs the locks of, as far as is known
  /// @param decide   reads, and writes into the change; none: it lacks a lock. It may be called
  ///                 several times, each with a change of its own.
  /// Errors: those of `decide` and of Store::apply(). Durable on return where the store is
  /// synchronous.
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

  /// Sequence number of the last batch that changed the object, or of a later one.
  [[nodiscard]] std::uint64_t last_change(ObjectNumber object) const {
    return last_changes_[object % kLastChanges];
  }

 private:
  using Decide = std::function<Result<bool>(Change&)>;
  static constexpr std::size_t kLastChanges = 4096;

  [[nodiscard]] Status make(std::vector<ObjectNumber> objects, const Decide& decide);
  [[nodiscard]] Result<bool> try_once(std::vector<ObjectNumber>& objects, bool& moves_directories,
                                      const Decide& decide, delta::Batch& waiting);
  [[nodiscard]] Result<bool> apply(const Change& change, const std::vector<ObjectNumber>& objects,
                                   delta::Store::Patience patience);
  [[nodiscard]] Status sync(const std::vector<ObjectNumber>& objects) const;
  void note(ObjectNumber object, std::uint64_t sequence);

  storage::Env& env_;
  const Layers& layers_;
  Orphans& orphans_;
  std::mutex moving_directories_;
  ObjectLocks locks_;
  /// By remainder: an object may wait for another one's batch, but never too short.
  std::array<std::atomic<std::uint64_t>, kLastChanges> last_changes_{};
};

}  // namespace dgfs::view
