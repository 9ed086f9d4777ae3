// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seals a delta that no process has open.
#pragma once

#include <string>

#include "base/result.h"
#include "delta/view/object.h"
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

/// For a delta that nobody writes to but its caller, with 64 MiB of memory for each store.
[[nodiscard]] delta::StoreOptions options_to_seal();
/// The same for a delta that is open already, with those options and only for this.
[[nodiscard]] Result<SealedDelta> seal_open(delta::DeltaDirectory& delta,
                                            const delta::SealRequest& request);
/// The end of the object numbers that the stores of an open delta and the layers in its base have
/// reserved; 0: none. Errors:
/// those of end_of_reserved().
[[nodiscard]] Result<ObjectNumber> reserved_in(const delta::DeltaDirectory& delta);

}  // namespace dgfs::view
