// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Rollbacks: an earlier state of a delta becomes the newest one again. The stores above it go, and
// an empty store takes their place. None of them is opened for this, so they may be damaged, or
// torn as in a copy of a delta that was in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"

namespace dgfs::delta {

/// Numbers above those of all objects and batches that the manifest knows. Of the store that is
/// written to, the manifest knows only the first numbers. A value.
struct KnownEnds {
  std::uint64_t objects = 0;
  std::uint64_t sequences = 0;
};
[[nodiscard]] KnownEnds known_ends(const Manifest& manifest);

/// A value.
struct RollbackPlan {
  std::size_t layers = 0;      ///< so many of the oldest stay
  std::uint64_t objects = 0;   ///< above every object number that the delta ever reserved
  std::uint64_t sequence = 0;  ///< of the first batch of the fresh store, above all that were used
  /// Of the fresh store, but for its born object. On a full disk its log is shorter.
  StoreParameters parameters;

  friend bool operator==(const RollbackPlan&, const RollbackPlan&) = default;
};

/// A rollback that was made. A value.
struct RollbackOutcome {
  Manifest manifest;
  /// Why stores that the manifest does not name any more are still there. The next opening for
  /// writing removes them.
  std::optional<Error> unremoved;
  /// Why the fresh store is not closed: until the next opening the delta cannot be copied.
  std::optional<Error> unclosed;
};

/// Makes a rollback: makes the fresh store, changes the manifest, removes the stores above the
/// state, and closes the fresh store. A crash leaves the old stack or the new one; the next opening
/// for writing removes the rest. Whoever looks at one of the removed states goes on with it.
/// @param locked  for writing
/// Errors: kInvalidArgument (there are no such layers; the numbers are below those of the
/// manifest), kLimit (there is no higher number of a store); those of make_store(); nothing has
/// changed then. Those of write_next_manifest().
[[nodiscard]] Result<RollbackOutcome> roll_back(storage::Env& env, const std::string& directory,
                                                LockedManifest& locked, const RollbackPlan& plan);

}  // namespace dgfs::delta
