// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Returns a delta that no process has open to one of its states. The stores above the state may be
// unreadable: this is how a delta is saved whose newest store is damaged, and how a copy that was
// taken while the delta was in use becomes sound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/store/directory/rollback.h"
#include "storage/env.h"

namespace dgfs::view {

/// If a store that goes cannot be read, numbers begin so far above the last known ones.
inline constexpr std::uint64_t kUnknownNumbers = std::uint64_t{1} << 40;

/// A store that a rollback takes away. A value.
struct LostStore {
  delta::StackedStore store;  ///< a layer, whose state goes, too, or the newest store
  /// Batches in it; none: not known, since it cannot be read.
  std::optional<std::uint64_t> changes;
  std::uint64_t bytes = 0;          ///< of the disk
  std::optional<Error> unreadable;  ///< why it cannot be read, as far as anybody has tried
};

/// What a rollback would do. Keeps the delta locked. Moved, not copied.
struct PreparedRollback {
  delta::LockedManifest locked;
  delta::RollbackPlan plan;
  std::vector<LostStore> lost;  ///< the newest first, and the newest store before all layers

  /// Whether the state is the newest one and nothing has changed since: there is nothing to do.
  [[nodiscard]] bool is_needless() const;
  [[nodiscard]] std::uint64_t lost_bytes() const;
};

/// Finds the state, and all that would be lost. Needs 64 MiB of memory.
/// @param state   a name or an id; "newest" is the uppermost layer, or the base if there is none
/// @param access  kReadOnly: only to look
/// Errors: those of lock_manifest() and find_state(); kBusy (another process writes to one of the
/// stores); those of opening the state, since the delta would not be usable afterwards; kLimit
/// (there are no higher numbers).
[[nodiscard]] Result<PreparedRollback> prepare_rollback(storage::Env& env,
                                                        const std::string& directory,
                                                        std::string_view state,
                                                        delta::StoreAccess access);
/// For one that is needless: closes what a killed process has not closed, and removes what
/// an interrupted rollback has left, so that the delta is as after a rollback. Gives the lock back.
/// Errors: those of DeltaDirectory::open() and close().
/// @param prepared  for writing
[[nodiscard]] Status close_unchanged(storage::Env& env, const std::string& directory,
                                     PreparedRollback& prepared);
/// Makes it. Errors: those of roll_back().
/// @param prepared  for writing
[[nodiscard]] Result<delta::RollbackOutcome> make_rollback(storage::Env& env,
                                                           const std::string& directory,
                                                           PreparedRollback& prepared);

}  // namespace dgfs::view
