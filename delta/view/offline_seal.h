// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seals a delta that no process has open.
#pragma once

#include <string>

#include "base/result.h"
#include "delta/view/sealed_delta.h"
#include "storage/env.h"

namespace dgfs::view {

/// Opens a delta, recovers it if need be, and makes its newest store a layer. Objects without a
/// name, which a crash has left, stay in the layer; the next mount ends them above it. Needs 64 MiB
/// of memory. Errors: those of DeltaDirectory::open(), check_seal() and seal(); kCorrupt (the
/// record of reserved numbers is damaged). After an error the stack is unchanged, unless the
/// manifest could not be written.
[[nodiscard]] Result<SealedDelta> seal_offline(storage::Env& env, const std::string& directory,
                                               const delta::SealRequest& request);

}  // namespace dgfs::view
