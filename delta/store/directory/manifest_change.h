// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Changes of the stack in the manifest of a delta, and what they need to know.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "delta/store/directory/manifest.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Of the directory of the next store.
[[nodiscard]] std::uint64_t next_store_number(const Manifest& manifest);
/// Makes a manifest one of version 3. A delta of version 2 has layers only if a program sealed it
/// between two mounts; they get states. Does nothing to one of version 3.
void give_states(storage::Env& env, Manifest& manifest, const Time& sealed_at);
/// Writes the next manifest of a delta, with the next generation, durably. The file of version 2 is
/// replaced: the new one is locked before it gets the name, so that no other process opens the
/// delta in between. Errors: kCorrupt (of numbers that no manifest may have; nothing is written);
/// kIo, kNoSpace: afterwards the manifest has the old stack or the new one.
/// @param locked  the file of the manifest
/// @param before  what it has
/// @param next    of version 3
[[nodiscard]] Status write_next_manifest(storage::Env& env, const std::string& directory,
                                         std::unique_ptr<storage::File>& locked,
                                         const Manifest& before, Manifest& next);

}  // namespace dgfs::delta
