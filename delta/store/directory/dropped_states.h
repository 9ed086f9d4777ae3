// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// States that nobody wants any more lose their names and pins. Until a join or a merge takes them,
// they can still be looked at by their ids.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"

namespace dgfs::delta {

/// The manifest as it is once states were dropped. Errors: kNotFound (one of them is no state of
/// the delta, or not any more).
/// @param states     ids of layers, or of the base
/// @param directory  of the delta, for messages
[[nodiscard]] Result<Manifest> without_states(const Manifest& manifest,
                                              std::span<const StateId> states,
                                              const std::string& directory);

/// Drops states of a delta that no process has open: all of them with one change of the manifest.
/// Opens no store. Errors: those of without_states(); nothing has changed then. kIo, kNoSpace: all
/// of them are dropped, or none.
/// @param locked  for writing; gets the new manifest
[[nodiscard]] Status drop_states(storage::Env& env, const std::string& directory,
                                 LockedManifest& locked, std::span<const StateId> states);

}  // namespace dgfs::delta
