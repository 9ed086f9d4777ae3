// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/json.h"
#include "delta/layer/join.h"

namespace dgfs::layer {

/// {"layers_before", "layers_after", "took_ms", "joins": [{"layers": how many, "bytes_before",
/// "bytes_after", "bytes_needed"}], "unremoved": why joined layers are still there, if they are}.
[[nodiscard]] JsonObject join_json(const JoinOutcome& outcome);

}  // namespace dgfs::layer
