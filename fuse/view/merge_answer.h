// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Questions and answers about merges and joins on the control socket (delta/control/control.h).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/merge/live/live_join.h"
#include "delta/merge/live/live_merge.h"

namespace dgfs::fuse {

/// The words behind kAskMerge. Errors: kUnsupported (a word that this mount does not know).
[[nodiscard]] Result<merge::MergeRequest> merge_request(std::string_view words);
/// The base of a delta, for statistics: {"name", "made_of": [names of files with contents that it
/// needs], "dead_percent": bytes of these files that nothing uses any more}.
[[nodiscard]] std::string base_text(const delta::BaseFacts& base, const reader::Image& image);
/// The answer to kAskJoinState.
[[nodiscard]] std::string join_state_text(const merge::JoinStatus& status);
/// The answer to kAskMergeState.
[[nodiscard]] std::string merge_state_text(const merge::MergeStatus& status);

}  // namespace dgfs::fuse
