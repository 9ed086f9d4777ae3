// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/used_states.h"

#include <cstdint>
#include <map>

#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"

namespace dgfs::layer {

std::set<std::size_t> used_states(storage::Env& env, const std::string& directory,
                                  const delta::Manifest& manifest) {
  std::map<std::uint64_t, std::size_t> layers_of_process;
  for (std::size_t i = 0; i < delta::layers_of(manifest); ++i) {
    const auto file = env.open(delta::store_path(directory, manifest.stores[i]) + "/store");
    if (!file) continue;
    for (const storage::LockHolder& holder : file.value()->lock_holders()) {
      if (holder.process != env.process_id()) layers_of_process[holder.process] = i + 1;
    }
  }
  std::set<std::size_t> used;
  for (const auto& [process, layers] : layers_of_process) used.insert(layers);
  return used;
}

Result<std::vector<LayerSize>> layer_sizes(storage::Env& env, const std::string& directory,
                                           const delta::Manifest& manifest) {
  const auto used = used_states(env, directory, manifest);
  std::vector<LayerSize> sizes;
  for (std::size_t i = 0; i < delta::layers_of(manifest); ++i) {
    const delta::StackedStore& layer = manifest.stores[i];
    DGFS_TRY(bytes, delta::bytes_on_disk(env, delta::store_path(directory, layer)));
    const bool stays =
        !delta::has_states(manifest) || delta::is_wanted(layer.layer) || used.contains(i + 1);
    sizes.push_back({bytes, stays});
  }
  return sizes;
}

}  // namespace dgfs::layer
