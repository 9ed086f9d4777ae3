// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// JoinChoice: which layers of a stack to join. A join moves bytes, and it makes the states between
// the layers vanish; so it never crosses a state that is to stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "delta/store/directory/delta_directory.h"

namespace dgfs::layer {

/// What the choice knows of a layer. A value.
struct LayerSize {
  std::uint64_t bytes = 0;  ///< of the disk that it takes
  /// Its state stays: it has a name or pins, or a process looks at it. A join may end with it.
  bool stays = false;

  friend bool operator==(const LayerSize&, const LayerSize&) = default;
};

/// Each layer that is not named costs lookups time; beyond so many, a mount joins some by itself.
inline constexpr std::size_t kUnnamedLayersMax = 8;

/// All that may be joined: each longest range of at least two layers without a state that stays
/// between them, the oldest range first.
/// @param layers  from the oldest to the newest
[[nodiscard]] std::vector<delta::LayerRange> all_joins(std::span<const LayerSize> layers);

/// The next join that a mount makes by itself; none: there are few enough layers, or none may be
/// joined. Size-tiered: it begins with the two neighbours that are the least work, and takes in
/// neighbours that are not larger than what it has. So layers of one size are moved no more than
/// twice in 100 seals, and a large old layer is seldom moved.
/// @param layers_max  of the whole stack, with layers whose states stay: from so many on a join is
///                    due, since no further seal is possible
[[nodiscard]] std::optional<delta::LayerRange> next_join(
    std::span<const LayerSize> layers, std::size_t unnamed_max = kUnnamedLayersMax,
    std::size_t layers_max = SIZE_MAX);

}  // namespace dgfs::layer
