// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "delta/layer/join_choice.h"
#include "delta/store/directory/manifest.h"
#include "storage/env.h"

namespace dgfs::layer {

/// Finds the states that other processes look at now. Returns how many layers each of them shows.
/// A process that looks at a state locks all its layers. The system may hide processes of other
/// users. Cost: looks at the open files of all processes, once for each layer.
[[nodiscard]] std::set<std::size_t> used_states(storage::Env& env, const std::string& directory,
                                                const delta::Manifest& manifest);

/// The layers of a delta for the choice of a join. Layers without states (manifests of version 2)
/// all stay. Errors: kIo.
[[nodiscard]] Result<std::vector<LayerSize>> layer_sizes(storage::Env& env,
                                                         const std::string& directory,
                                                         const delta::Manifest& manifest);

}  // namespace dgfs::layer
