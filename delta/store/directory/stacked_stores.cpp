// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/stacked_stores.h"

#include <algorithm>
#include <utility>

#include "delta/store/store_files.h"

namespace dgfs::delta {
namespace {

StoreOptions options_to_make(StoreOptions options, const StackedStore& store) {
  options.parameters.born_object = store.born_object;
  options.sequence = store.first_sequence - 1;
  return options;
}

}  // namespace

std::string manifest_path(const std::string& directory) { return directory + "/MANIFEST"; }

std::string store_path(const std::string& directory, const StackedStore& store) {
  return directory + "/" + store.name();
}

bool has_states(const Manifest& manifest) { return manifest.version == kStatesManifestVersion; }

Status make_stacked(storage::Env& env, const std::string& directory, StackedStore& store,
                    const StoreOptions& options) {
  DGFS_TRY(superblock,
           make_store(env, store_path(directory, store), options_to_make(options, store)));
  store.uuid = superblock.store;
  return ok();
}

StoreOptions options_to_open(StoreOptions options, std::size_t stores, bool is_newest) {
  options.create = false;
  if (!is_newest) options.access = StoreAccess::kReadOnly;
  const bool is_divided = stores > 1 && (is_newest || !options.pool);
  if (is_divided) options.memory_bytes /= is_newest ? 2 : 2 * (stores - 1);
  return options;
}

// 0 would be no cap.
StoreOptions options_beside(StoreOptions options, std::uint64_t sealed_bytes) {
  if (options.max_bytes != 0) {
    options.max_bytes =
        std::max<std::uint64_t>(options.max_bytes - std::min(options.max_bytes, sealed_bytes), 1);
  }
  return options;
}

}  // namespace dgfs::delta
