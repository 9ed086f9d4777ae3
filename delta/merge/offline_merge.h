// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Merges layers into a new base of a delta that no process has open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "delta/merge/base_merge.h"
#include "storage/env.h"

namespace dgfs::merge {

/// What a merge is to do. A value.
struct MergeRequest {
  std::optional<std::string> to;  ///< the state that ends it; none: as far as possible
  RepackRules repack;
  bool dry_run = false;
  std::string image_path;  ///< of the delta's own image, for the manifest; empty: unknown
};

/// What a merge has done. A value.
struct MergeOutcome {
  MadeBase base;
  std::uint64_t bytes_before = 0;  ///< of the disk that the delta took
  std::uint64_t bytes_after = 0;
  std::uint64_t took_ns = 0;
  std::optional<Error> unremoved;  ///< why files that nothing needs are still there
};

/// Seals the delta unless nothing has changed or a state ends the merge, makes a base, and puts it
/// below the stores.
/// @param source   all members but `layers` and `nameless`, which are set
/// @param options  as of make_base()
/// Errors: those of choose_target(), DeltaDirectory::open() and seal(), make_base(),
/// prepare_base() and commit_base().
/// After an error the delta shows the same tree, over the same base, or, if the manifest could not
/// be written, perhaps over the new one; it may have been sealed.
[[nodiscard]] Result<MergeOutcome> merge_offline(storage::Env& env, BaseSource source,
                                                 const MergeRequest& request,
                                                 const builder::BuildOptions& options);

}  // namespace dgfs::merge
