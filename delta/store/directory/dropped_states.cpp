// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/dropped_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "delta/store/directory/manifest_change.h"
#include "delta/store/directory/states.h"

namespace dgfs::delta {

Result<Manifest> without_states(const Manifest& manifest, std::span<const StateId> states,
                                const std::string& directory) {
  Manifest next = manifest;
  for (const StateId& state : states) {
    if (!is_base(state) && next.base && next.base->state == state) {
      next.base->name.clear();
      next.base->pins = 0;
      continue;
    }
    const auto found = std::ranges::find_if(next.stores, [&](const StackedStore& store) {
      return !is_base(state) && store.layer.state == state;
    });
    if (found == next.stores.end()) {
      return Error(ErrorKind::kNotFound, 7666,
                   fmt::format("has no state {}, or not any more", state_text(state)))
          .in_file(directory);
    }
    found->layer.name.clear();
    found->layer.pins = 0;
  }
  return next;
}

Status drop_states(storage::Env& env, const std::string& directory, LockedManifest& locked,
                   std::span<const StateId> states) {
  DGFS_TRY(next, without_states(locked.manifest, states, directory));
  if (next == locked.manifest) return ok();
  DGFS_CHECK(write_next_manifest(env, directory, locked.file, locked.manifest, next));
  locked.manifest = std::move(next);
  return ok();
}

Status DeltaDirectory::drop_states(std::span<const StateId> states) {
  if (options_.access == StoreAccess::kReadOnly) {
    return Error(ErrorKind::kPermission, 7667, "the delta is open only for reading")
        .in_file(directory_);
  }
  DGFS_TRY(next, without_states(manifest_, states, directory_));
  return next == manifest_ ? ok() : rewrite(std::move(next));
}

}  // namespace dgfs::delta
