// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/manifest_change.h"

#include <utility>

#include "delta/store/directory/stacked_stores.h"
#include "delta/store/private_mode.h"

namespace dgfs::delta {

std::uint64_t next_store_number(const Manifest& manifest) {
  return has_states(manifest) ? manifest.next_number : manifest.stores.back().number + 1;
}

void give_states(storage::Env& env, Manifest& manifest, const Time& sealed_at) {
  if (has_states(manifest)) return;
  manifest.next_number = next_store_number(manifest);
  manifest.version = kStatesManifestVersion;
  StateId below{};
  for (std::size_t i = 0; i < manifest.stores.size(); ++i) {
    LayerFacts& layer = manifest.stores[i].layer;
    layer.parent = below;
    if (i + 1 == manifest.stores.size()) return;
    env.random(layer.state);
    layer.end_of_objects = manifest.stores[i + 1].born_object;
    layer.last_sequence = manifest.stores[i + 1].first_sequence - 1;
    layer.sealed_at = sealed_at;
    below = layer.state;
  }
}

Status write_next_manifest(storage::Env& env, const std::string& directory,
                           std::unique_ptr<storage::File>& locked, const Manifest& before,
                           Manifest& next) {
  // Damage of a superblock may have led to numbers that no program would read.
  if (const auto readable = decode_manifest(encode_manifest(next)); !readable) {
    return Error(readable.error()).in_file(directory);
  }
  if (has_states(before)) {
    ++next.generation;
    return write_both_slots(*locked, next);
  }
  DGFS_TRY(file, env.create_unnamed(directory));
  DGFS_CHECK(write_both_slots(*file, next));
  DGFS_CHECK(file->lock());
  DGFS_CHECK(env.publish(*file, manifest_path(directory), kPrivateFile));
  locked = std::move(file);
  return ok();
}

}  // namespace dgfs::delta
