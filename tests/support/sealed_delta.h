// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>
#include <string>

#include "delta/store/directory/delta_directory.h"

namespace dgfs::test {

/// Seals a delta that is not open: its newest store becomes a layer.
/// @param end_of_objects  above every object number in the stack
inline Status seal_delta(storage::Env& env, const std::string& directory,
                         std::uint64_t end_of_objects, delta::StoreOptions options,
                         const std::string& name = {}) {
  options.access = delta::StoreAccess::kReadWrite;
  options.in_background = false;
  DGFS_TRY(delta, delta::DeltaDirectory::open(env, directory, options));
  DGFS_TRY(outcome, delta->seal({name, {}}, end_of_objects));
  return outcome.unclosed ? Status(*outcome.unclosed) : ok();
}

}  // namespace dgfs::test
