// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <optional>

#include "delta/store/directory/delta_directory.h"

namespace dgfs::view {

/// The states of a delta after a seal, and the layer that it made. A value.
struct SealedDelta {
  delta::Manifest manifest;
  /// None: nothing has changed since the newest state, and no layer was made.
  std::optional<delta::SealOutcome> outcome;
};

}  // namespace dgfs::view
