// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Joins neighbouring layers: the messages of all of them, in key order, as those of one store that
// has the same effect over anything below.
//
// For each key the join goes from the newest layer to the oldest:
//
//   newer \ older   nothing         patch    put     removal   erasure   range tombstone
//   patch           patch           both     value   value     value     value
//   put             put             put      put     put       put       put
//   removal         removal         removal  removal removal   removal   nothing
//   erasure         nothing         removal  removal removal   nothing   nothing
//
// An erasure says that nothing is below the store that has it, so it may vanish in the tree of that
// store. In a join it lies over older layers: if one of them has a removal of the key, that removal
// must stay, since it hides what is below all of them. Where no joined layer says anything, nothing
// is below the joined layer either, so the erasure vanishes as always.
//
// Range tombstones of all layers stay: each is older than the points of its own layer, and newer
// points over it are values by now. A layer has nothing for a key that is young in a newer one. The
// joined layer is born where the oldest was: what was born in any of the layers has nothing below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "delta/store/join/layer_loader.h"
#include "delta/store/snapshot/snapshot.h"

namespace dgfs::delta {

/// How a join is watched and stopped; all may be empty. A value.
struct JoinHooks {
  /// Called in the thread of the join before it reads so many bytes, about: may wait.
  std::function<void(std::uint64_t bytes)> before_read;
  /// Whether the join is to end with kInterrupted. Asked every 64 KiB.
  std::function<bool()> stop;
};

/// Loads the join of layers. Errors: those of LayerLoader, MessageCursor and LargeValue::load,
/// kInterrupted. Memory: one slice of each layer.
/// @param layers  from the oldest to the newest; their born objects do not fall
/// @param to      born where the oldest layer was; gets everything, but is not finished
[[nodiscard]] Status load_joined(std::span<const Snapshot> layers, LayerLoader& to,
                                 const JoinHooks& hooks);

}  // namespace dgfs::delta
