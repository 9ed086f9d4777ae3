// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "delta/layer/used_states.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"
#include "delta/view/offline_seal.h"

namespace dgfs::layer {
namespace {

// The layers of a plan, open for reading.
struct OpenLayers {
  std::vector<std::unique_ptr<delta::Store>> stores;
  std::vector<delta::Snapshot> snapshots;

  [[nodiscard]] std::uint64_t prefixes() const {
    std::uint64_t prefixes = 0;
    for (const delta::Snapshot& snapshot : snapshots) {
      if (snapshot.filter() != nullptr) prefixes += snapshot.filter()->prefixes();
    }
    return prefixes;
  }
};

Result<OpenLayers> open_layers(storage::Env& env, const std::string& directory,
                               const delta::JoinPlan& plan, const JoinOptions& options) {
  OpenLayers layers;
  delta::StoreOptions to_read;
  to_read.access = delta::StoreAccess::kReadOnly;
  to_read.memory_bytes = options.memory_bytes / plan.layers.size();
  to_read.values_past_page_cache = options.past_page_cache;
  to_read.in_background = true;  // so that the filters, which cursors do not ask, are not read
  for (const delta::StackedStore& layer : plan.layers) {
    const auto path = delta::store_path(directory, layer);
    DGFS_TRY(superblock, delta::read_store_superblock(env, path));
    if (superblock.store != layer.uuid) {
      return Error(ErrorKind::kChanged, 7646, "a layer of a join is another one by now")
          .in_file(path);
    }
    if (!superblock.sealed) {
      return Error(ErrorKind::kBusy, 7647, "a layer of a join is not closed yet").in_file(path);
    }
    DGFS_TRY(store, delta::Store::open(env, path, to_read));
    layers.stores.push_back(std::move(store));  // a snapshot must not outlive its store
    layers.snapshots.push_back(layers.stores.back()->snapshot("join"));
  }
  return layers;
}

Result<MadeJoin> load(storage::Env& env, const std::string& directory, delta::JoinPlan plan,
                      const JoinOptions& options) {
  DGFS_TRY(layers, open_layers(env, directory, plan, options));
  delta::LoadRequest request;
  request.parameters = layers.stores.front()->parameters();
  request.sequence = plan.joined.layer.last_sequence;
  request.mark = {plan.joined.layer.state, plan.joined.layer.parent};
  request.prefixes_max = layers.prefixes();
  request.level = options.level;
  DGFS_TRY(loader,
           delta::LayerLoader::begin(env, delta::store_path(directory, plan.joined), request));
  DGFS_CHECK(delta::load_joined(layers.snapshots, *loader, options.hooks));
  DGFS_TRY(loaded, loader->finish());
  plan.joined.uuid = loaded.uuid;
  return MadeJoin{std::move(plan), loaded.block_bytes + loaded.value_bytes};
}

Result<JoinDone> join_range(storage::Env& env, const std::string& directory,
                            delta::DeltaDirectory& delta, const delta::LayerRange& range,
                            const JoinOptions& options) {
  JoinDone done;
  DGFS_TRY(plan, delta.begin_join(range));
  done.layers = plan.layers;
  done.bytes_needed = plan.bytes_needed;
  for (const delta::StackedStore& layer : plan.layers) {
    DGFS_TRY(bytes, delta::bytes_on_disk(env, delta::store_path(directory, layer)));
    done.bytes_before += bytes;
  }
  auto made = make_joined(env, directory, plan, options);
  if (!made) {
    delta.give_up(plan);
    return std::move(made).error();
  }
  auto prepared = delta.prepare_join(made.value().plan);
  if (!prepared) {
    delta.give_up(plan);
    return std::move(prepared).error();
  }
  done.bytes_after = prepared.value().joined_bytes;
  DGFS_CHECK(delta.commit_join(std::move(prepared).value()));
  return done;
}

// From the newest on, so that the numbers of the older ranges stay.
Result<JoinOutcome> join_open(storage::Env& env, const std::string& directory,
                              delta::DeltaDirectory& delta, const JoinOptions& options) {
  const auto begin_ns = env.monotonic_ns();
  JoinOutcome outcome;
  outcome.layers_before = outcome.layers_after = delta::layers_of(delta.manifest());
  DGFS_TRY(sizes, layer_sizes(env, directory, delta.manifest()));
  auto ranges = all_joins(sizes);
  if (ranges.empty()) return nothing_to_join(delta.manifest(), directory);
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    outcome.layers_after -= range->size() - 1;
    DGFS_TRY(done, join_range(env, directory, delta, *range, options));
    outcome.joins.insert(outcome.joins.begin(), std::move(done));
    // Its space serves the next range.
    auto removed = delta.remove_unneeded();
    if (!removed) {
      outcome.unremoved = std::move(removed).error();
    } else if (!removed.value()) {
      outcome.unremoved = Error(ErrorKind::kBusy, 7649, "another process reads them");
    }
  }
  outcome.took_ns = env.monotonic_ns() - begin_ns;
  return outcome;
}

}  // namespace

Result<JoinOutcome> planned_joins(storage::Env& env, const std::string& directory,
                                  const delta::Manifest& manifest) {
  JoinOutcome outcome;
  outcome.layers_before = outcome.layers_after = delta::layers_of(manifest);
  DGFS_TRY(sizes, layer_sizes(env, directory, manifest));
  for (const delta::LayerRange& range : all_joins(sizes)) {
    outcome.layers_after -= range.size() - 1;
    JoinDone found;
    found.layers.assign(manifest.stores.begin() + static_cast<std::ptrdiff_t>(range.begin),
                        manifest.stores.begin() + static_cast<std::ptrdiff_t>(range.end));
    for (std::size_t i = range.begin; i < range.end; ++i) found.bytes_before += sizes[i].bytes;
    found.bytes_needed = delta::bytes_to_join(found.bytes_before);
    outcome.joins.push_back(std::move(found));
  }
  return outcome;
}

Error nothing_to_join(const delta::Manifest& manifest, const std::string& directory) {
  const auto layers = delta::layers_of(manifest);
  return Error(ErrorKind::kInvalidArgument, 7648,
               layers < 2 ? fmt::format("nothing to join: {}",
                                        layers == 0 ? "no layers" : "a single layer")
                          : fmt::format("{} layers, all named or in use; drop one", layers))
      .in_file(directory);
}

Result<MadeJoin> make_joined(storage::Env& env, const std::string& directory, delta::JoinPlan plan,
                             const JoinOptions& options) {
  try {
    return load(env, directory, std::move(plan), options);
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7650, "no memory for a join of layers").in_file(directory);
  }
}

Status join_layers(storage::Env& env, const std::string& directory, const delta::LayerRange& layers,
                   const JoinOptions& options) {
  try {
    DGFS_TRY(delta, delta::DeltaDirectory::open(env, directory, view::options_to_seal()));
    const auto done = join_range(env, directory, *delta, layers, options);
    if (done) static_cast<void>(delta->remove_unneeded());
    auto closed = delta->close();
    DGFS_CHECK(done);
    return closed;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7653, "no memory for a join of layers").in_file(directory);
  }
}

Result<JoinOutcome> join_offline(storage::Env& env, const std::string& directory,
                                 const JoinOptions& options) {
  try {
    DGFS_TRY(delta, delta::DeltaDirectory::open(env, directory, view::options_to_seal()));
    auto outcome = join_open(env, directory, *delta, options);
    auto closed = delta->close();
    if (outcome && !closed && !outcome.value().unremoved) {
      outcome.value().unremoved = std::move(closed).error();
    }
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7651, "no memory for a join of layers").in_file(directory);
  }
}

}  // namespace dgfs::layer
