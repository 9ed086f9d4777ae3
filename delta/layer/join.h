// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Joins layers of a delta. A join reads layers that never change and writes a new one, so the delta
// may be in use meanwhile; it ends with one change of the manifest.
//
// For a delta that a process has open, its thread that seals calls begin_join(), prepare_join() and
// commit_join() of DeltaDirectory, and any other thread make_joined() between the first two.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/layer/join_choice.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/join/stack_join.h"
#include "storage/env.h"

namespace dgfs::layer {

/// How a join reads and writes. A value.
struct JoinOptions {
  std::size_t memory_bytes = std::size_t{32} << 20;  ///< for the layers that it reads, together
  bool past_page_cache = false;                      ///< large values are read past the page cache
  int level = 1;                                     ///< as of delta::StoreOptions
  delta::JoinHooks hooks;
};

/// A joined layer that is complete and durable, but not in the manifest. A value.
struct MadeJoin {
  delta::JoinPlan plan;             ///< with the UUID of the joined layer
  std::uint64_t bytes_written = 0;  ///< blocks and large values
};

/// Makes the layer of a plan. Errors: kBusy (a layer is not closed yet), kInterrupted, kIo,
/// kNoSpace, kCorrupt, kLimit (out of memory). After an error the caller calls
/// DeltaDirectory::give_up().
[[nodiscard]] Result<MadeJoin> make_joined(storage::Env& env, const std::string& directory,
                                           delta::JoinPlan plan, const JoinOptions& options);

/// Joins given neighbours of a delta that no process has open for writing, and removes them.
/// Errors: as of join_offline().
[[nodiscard]] Status join_layers(storage::Env& env, const std::string& directory,
                                 const delta::LayerRange& layers, const JoinOptions& options);

/// A join that was made, or that is planned. A value.
struct JoinDone {
  std::vector<delta::StackedStore> layers;  ///< that were joined
  std::uint64_t bytes_before = 0;           ///< of the disk that they took
  std::uint64_t bytes_after = 0;            ///< that the joined layer takes; 0 if it is planned
  std::uint64_t bytes_needed = 0;           ///< of free disk, at most
};

/// A value.
struct JoinOutcome {
  std::vector<JoinDone> joins;  ///< the oldest first
  std::size_t layers_before = 0;
  std::size_t layers_after = 0;  ///< in a plan, that there would be
  std::uint64_t took_ns = 0;
  std::optional<Error> unremoved;  ///< why joined layers are still there
};

/// What join_offline() or a mount would join, beforehand; the delta may be in use. Errors: kIo.
[[nodiscard]] Result<JoinOutcome> planned_joins(storage::Env& env, const std::string& directory,
                                                const delta::Manifest& manifest);
/// Why all_joins() of a delta has found nothing.
[[nodiscard]] Error nothing_to_join(const delta::Manifest& manifest, const std::string& directory);

/// Joins all layers of a delta that may be joined (all_joins()), range by range. No process has the
/// delta open for writing. An error ends it; the ranges before are joined then.
/// Errors: kInvalidArgument (nothing to join); those of DeltaDirectory::open(), begin_join(),
/// make_joined(), prepare_join() and commit_join(). After an error of a range its layers are as
/// before, or, if the manifest could not be written, perhaps joined.
[[nodiscard]] Result<JoinOutcome> join_offline(storage::Env& env, const std::string& directory,
                                               const JoinOptions& options);

}  // namespace dgfs::layer
