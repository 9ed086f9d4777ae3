// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// State id: names the state of a delta that an image equals (section kState).
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

/// Random; no two states of any delta have one.
using StateId = std::array<std::uint8_t, 16>;

/// Appends the body of the section's block.
void encode_state_id(const StateId& state, Buffer& out);
/// Errors: kCorrupt.
[[nodiscard]] Result<StateId> decode_state_id(Bytes body);

}  // namespace dgfs::format
