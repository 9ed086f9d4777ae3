// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Merges layers into a new base of a delta that no process has open.
#pragma once

#include "base/result.h"
#include "delta/merge/base_merge.h"
#include "delta/merge/merge_outcome.h"
#include "delta/merge/merge_request.h"
#include "storage/env.h"

namespace dgfs::merge {

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
