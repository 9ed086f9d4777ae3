// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/rollback.h"

#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/directory/manifest_change.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"

namespace dgfs::delta {
namespace {

Status check_plan(const Manifest& manifest, const RollbackPlan& plan) {
  if (plan.layers > layers_of(manifest)) {
    return Error(ErrorKind::kInvalidArgument, 7660, "a rollback to layers that are not there");
  }
  const auto ends = known_ends(manifest);
  if (plan.objects < ends.objects || plan.sequence < ends.sequences) {
    return Error(ErrorKind::kInvalidArgument, 7661,
                 "a rollback would give out numbers that were given out before");
  }
  if (next_store_number(manifest) >= kDirectoryNumberMax) {
    return Error(ErrorKind::kLimit, 7662, "there is no higher number of a store");
  }
  return ok();
}

// The least length of a segment of the log on a full disk: the stores that go leave their space
// only when the fresh store is there.
constexpr std::uint64_t kSegmentBytesMin = std::uint64_t{1} << 20;

// Of a store that takes no changes.
constexpr std::size_t kMemoryBytes = std::size_t{16} << 20;

// After an error nothing is left.
Status make_fresh(storage::Env& env, const std::string& directory, StackedStore& fresh,
                  const StoreParameters& parameters) {
  StoreOptions options;
  options.parameters = parameters;
  for (;;) {
    auto made = make_stacked(env, directory, fresh, options);
    if (made) return made;
    static_cast<void>(remove_unused_store(env, store_path(directory, fresh)));
    auto& segment_bytes = options.parameters.segment_bytes;
    if (made.error().kind() != ErrorKind::kNoSpace || segment_bytes <= kSegmentBytesMin) {
      return made;
    }
    segment_bytes = std::max(segment_bytes / 2, kSegmentBytesMin);
  }
}

// The state below the fresh store; zeros: the image alone.
StateId state_below(const Manifest& manifest, std::size_t layers) {
  if (layers != 0) return manifest.stores[layers - 1].layer.state;
  return manifest.base ? manifest.base->state : StateId{};
}

// Directories whose numbers the manifest has passed belong to nothing any more.
std::optional<Error> remove_stores_above(storage::Env& env, const std::string& directory,
                                         const Manifest& manifest) {
  const auto removed = remove_absorbed_stores(env, directory, manifest);
  if (!removed) return removed.error();
  if (removed.value().held == 0) return std::nullopt;
  return Error(ErrorKind::kBusy, 7663, "another process reads them, or they have files of others");
}

// So that the delta can be copied: the files of a store that was not closed may be of different
// moments.
std::optional<Error> close_fresh(storage::Env& env, const std::string& path) {
  StoreOptions options;
  options.memory_bytes = kMemoryBytes;
  auto store = Store::open(env, path, options);
  if (!store) return std::move(store).error();
  auto closed = store.value()->close();
  if (closed) return std::nullopt;
  return std::move(closed).error();
}

}  // namespace

KnownEnds known_ends(const Manifest& manifest) {
  KnownEnds ends{0, 1};
  for (const StackedStore& store : manifest.stores) {
    ends.objects = std::max({ends.objects, store.born_object, store.layer.end_of_objects});
    ends.sequences =
        std::max({ends.sequences, store.first_sequence, store.layer.last_sequence + 1});
  }
  if (manifest.base) {
    ends.objects =
        std::max({ends.objects, manifest.base->end_of_image, manifest.base->end_of_numbers});
  }
  return ends;
}

Result<RollbackOutcome> roll_back(storage::Env& env, const std::string& directory,
                                  LockedManifest& locked, const RollbackPlan& plan) {
  const Manifest& before = locked.manifest;
  if (auto valid = check_plan(before, plan); !valid) {
    return std::move(valid).error().in_file(directory);
  }
  Manifest next = before;
  give_states(env, next, env.now());
  StackedStore fresh;
  fresh.number = next.next_number++;
  fresh.born_object = plan.objects;
  fresh.first_sequence = plan.sequence;
  fresh.layer.parent = state_below(next, plan.layers);
  DGFS_CHECK(make_fresh(env, directory, fresh, plan.parameters));
  next.stores.resize(plan.layers);
  next.stores.push_back(fresh);
  // All memory is there before the manifest changes: afterwards the rollback is made.
  RollbackOutcome outcome;
  outcome.manifest = next;
  Error no_memory(ErrorKind::kLimit, 7664, "there is no memory to remove them");
  const auto fresh_path = store_path(directory, fresh);
  DGFS_CHECK(write_next_manifest(env, directory, locked.file, before, next));
  outcome.manifest.generation = next.generation;
  locked.manifest = std::move(next);
  try {
    outcome.unremoved = remove_stores_above(env, directory, outcome.manifest);
    outcome.unclosed = close_fresh(env, fresh_path);
  } catch (const std::bad_alloc&) {
    outcome.unremoved = std::move(no_memory);
  }
  return outcome;
}

}  // namespace dgfs::delta
