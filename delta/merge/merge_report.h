// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/json.h"
#include "delta/merge/merge_outcome.h"

namespace dgfs::merge {

/// The "result" of kAskMergeState (delta/control/control.h).
[[nodiscard]] JsonObject outcome_json(const MergeOutcome& outcome);

}  // namespace dgfs::merge
