// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"

namespace dgfs::merge {
namespace {

Error nothing(std::uint16_t code, const std::string& why) {
  return Error(ErrorKind::kInvalidArgument, code, "nothing to merge: " + why);
}

// Layers of the oldest state that must stay; none: all may be merged.
std::optional<std::size_t> pinned_layers(const delta::Manifest& manifest,
                                         const std::optional<std::size_t>& used) {
  for (std::size_t i = 0; i < delta::layers_of(manifest); ++i) {
    const delta::LayerFacts& layer = manifest.stores[i].layer;
    const bool is_used = used && *used == i + 1;
    if (!layer.name.empty() || layer.pins != 0 || is_used) return i + 1;
  }
  return std::nullopt;
}

std::set<std::uint64_t> others_with(storage::Env& env, const std::string& path) {
  std::set<std::uint64_t> others;
  const auto file = env.open(path);
  if (!file) return others;
  for (const storage::LockHolder& holder : file.value()->lock_holders()) {
    if (holder.process != env.process_id()) others.insert(holder.process);
  }
  return others;
}

}  // namespace

TargetRequest target_request(storage::Env& env, const std::string& directory,
                             const delta::Manifest& manifest, const MergeRequest& request,
                             bool is_changed) {
  TargetRequest wanted;
  wanted.to = request.to;
  wanted.is_changed = is_changed;
  wanted.seals_anyway = request.repack.any();
  wanted.used = oldest_used_state(env, directory, manifest);
  return wanted;
}

Result<MergeTarget> choose_target(const delta::Manifest& manifest, const TargetRequest& request,
                                  const std::string& directory) {
  if (manifest.base && (!manifest.base->name.empty() || manifest.base->pins != 0)) {
    const auto& name = manifest.base->name;
    return nothing(7621, fmt::format("the oldest named state is the base ({})",
                                     name.empty() ? delta::state_title(manifest, 0) : name));
  }
  const auto all = delta::layers_of(manifest);
  const auto limit = pinned_layers(manifest, request.used);
  MergeTarget target;
  target.layers = limit.value_or(all);
  if (request.to && *request.to != delta::kNewestState) {
    DGFS_TRY(wanted, delta::find_state(manifest, *request.to, directory));
    if (wanted == 0) return nothing(7622, "that state is the base");
    if (wanted > target.layers) {
      return Error(ErrorKind::kInvalidArgument, 7623,
                   fmt::format("the older state {} has a name or is in use, and would be lost",
                               delta::state_title(manifest, target.layers)));
    }
    target.layers = wanted;
    return target;
  }
  if (limit) return target;
  // A full stack takes no seal before it is merged. Layers of version 2 get states when the next
  // one is made.
  const bool lacks_states = all != 0 && !delta::has_states(manifest);
  if (lacks_states && all >= delta::kLayersMax) {
    return Error(ErrorKind::kLimit, 7720,
                 fmt::format("has {} layers without states; 'dgfs merge' packs them into an image",
                             all))
        .in_file(directory);
  }
  target.seals =
      (request.is_changed || request.seals_anyway || lacks_states) && all < delta::kLayersMax;
  if (target.seals) ++target.layers;
  if (target.layers == 0) {
    return nothing(7624, manifest.base ? "nothing has changed since the last merge"
                                       : "nothing was changed yet");
  }
  return target;
}

// A process that looks at a state locks all its layers.
std::optional<std::size_t> oldest_used_state(storage::Env& env, const std::string& directory,
                                             const delta::Manifest& manifest) {
  std::set<std::uint64_t> before;
  const auto layers = delta::layers_of(manifest);
  for (std::size_t i = 0; i < layers; ++i) {
    const auto now = others_with(env, delta::store_path(directory, manifest.stores[i]) + "/store");
    if (!std::ranges::includes(now, before)) return i;
    before = now;
  }
  return before.empty() ? std::nullopt : std::optional(layers);
}

}  // namespace dgfs::merge
