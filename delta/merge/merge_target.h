// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MergeTarget: which layers of a delta a merge takes into its base.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "delta/merge/merge_request.h"
#include "delta/store/directory/manifest.h"
#include "storage/env.h"

namespace dgfs::merge {

/// A value.
struct MergeTarget {
  std::size_t layers = 0;  ///< of the oldest, with the one that a seal makes
  bool seals = false;      ///< the newest store is sealed first
};

/// What the caller of a merge knows and wants. A value.
struct TargetRequest {
  std::optional<std::string> to;    ///< a state; none: as far as possible
  bool is_changed = true;           ///< since the newest state
  bool seals_anyway = false;        ///< even if nothing has changed, to pack contents anew
  std::optional<std::size_t> used;  ///< layers of the oldest state that a process looks at
};

/// What a request means for a delta as it is now. Cost: that of oldest_used_state().
/// @param is_changed  as of TargetRequest
[[nodiscard]] TargetRequest target_request(storage::Env& env, const std::string& directory,
                                           const delta::Manifest& manifest,
                                           const MergeRequest& request, bool is_changed);
/// Chooses the layers: up to the oldest state that must stay, which the base then equals, and at
/// most up to the state asked for. States stay that have a name or pins, or that a process looks
/// at.
/// @param directory  of the delta, for messages
/// Errors: kInvalidArgument (nothing to merge; an older state must stay), kLimit (too many layers
/// without states, as no program makes them), those of find_state().
[[nodiscard]] Result<MergeTarget> choose_target(const delta::Manifest& manifest,
                                                const TargetRequest& request,
                                                const std::string& directory);
/// So many layers show the oldest state that another process looks at now; none: no process does,
/// as far as the system tells. Cost: reads the table of locks for each layer.
[[nodiscard]] std::optional<std::size_t> oldest_used_state(storage::Env& env,
                                                           const std::string& directory,
                                                           const delta::Manifest& manifest);

}  // namespace dgfs::merge
