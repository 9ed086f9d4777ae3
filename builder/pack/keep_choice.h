// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Keep choice: decides which volumes of other images a build keeps, and which it packs anew.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "builder/kept_tree.h"
#include "builder/pack/kept_extents.h"

namespace dgfs::builder {

using VolumeNumbers = std::set<format::VolumeNumber>;

/// The volumes to pack anew. Volumes without a use are not among them: nobody needs them. Nor are
/// volumes that cannot be read, except by KeepRules::dead_percent, so that the build then fails and
/// names the volume.
/// @param packed_bytes  sizes of the files that are packed anyway
[[nodiscard]] VolumeNumbers volumes_to_pack(const std::vector<KeptVolume>& volumes,
                                            const KeptUses& uses, std::uint64_t packed_bytes,
                                            const KeepRules& rules);

}  // namespace dgfs::builder
