// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seals: the steps that put a fresh store over the newest one.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/manifest_change.h"
#include "delta/store/directory/space_to_begin.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"

namespace dgfs::delta {

bool DeltaDirectory::is_unchanged() const {
  return newest().sequence() < manifest_.stores.back().first_sequence;
}

Status DeltaDirectory::check_seal(const SealRequest& request) const {
  if (options_.access == StoreAccess::kReadOnly) {
    return Error(ErrorKind::kPermission, 7517, "the delta is open only for reading")
        .in_file(directory_);
  }
  DGFS_CHECK(check_name(request));
  if (const auto layers = layers_of(manifest_); layers >= kLayersMax) {
    const bool is_any_free =
        std::any_of(manifest_.stores.begin(), manifest_.stores.end() - 2,
                    [](const StackedStore& store) { return !is_wanted(store.layer); });
    return Error(ErrorKind::kLimit, 7519,
                 is_any_free ? fmt::format("the delta has {} layers, the most that it may have; "
                                           "'dgfs delta compact' joins them",
                                           layers)
                             : fmt::format("{} layers, all named or in use; drop one with 'dgfs "
                                           "delta drop'",
                                           layers))
        .in_file(directory_);
  }
  if (next_store_number(manifest_) >= kDirectoryNumberMax) {
    return Error(ErrorKind::kLimit, 7420, "there is no higher number of a store")
        .in_file(directory_);
  }
  return check_space();
}

Status DeltaDirectory::check_name(const SealRequest& request) const {
  if (request.name.empty()) return ok();
  DGFS_CHECK(check_state_name(request.name));
  const auto has_it = [&](const StackedStore& store) { return store.layer.name == request.name; };
  const bool is_of_base = manifest_.base && manifest_.base->name == request.name;
  if (!is_of_base && std::ranges::none_of(manifest_.stores, has_it)) return ok();
  return Error(ErrorKind::kExists, 7518,
               fmt::format("there is a state \"{}\" already", request.name))
      .in_file(directory_);
}

Status DeltaDirectory::name_newest_state(const SealRequest& request) {
  const auto layers = layers_of(manifest_);
  if (request.name.empty() || (layers == 0 && !manifest_.base)) return ok();
  Manifest next = manifest_;
  auto& name = layers == 0 ? next.base->name : next.stores[layers - 1].layer.name;
  if (name == request.name) return ok();
  DGFS_CHECK(check_name(request));
  if (!name.empty()) return ok();
  name = request.name;
  return rewrite(std::move(next));
}

Status DeltaDirectory::note_image(const std::string& path) {
  if (options_.access == StoreAccess::kReadOnly || !has_states(manifest_)) return ok();
  if (path.empty() || path == manifest_.image_path || path.size() > kImagePathBytesMax) return ok();
  Manifest next = manifest_;
  next.image_path = path;
  return rewrite(std::move(next));
}

Status DeltaDirectory::rewrite(Manifest next) {
  ++next.generation;
  DGFS_CHECK(write_both_slots(*lock_, next));
  const std::lock_guard lock(mutex_);
  manifest_ = std::move(next);
  return ok();
}

std::uint64_t DeltaDirectory::next_store_bytes() const {
  auto options = options_;
  options.parameters = newest().parameters();
  return bytes_to_begin(options);
}

Status DeltaDirectory::check_space() const {
  const auto needed_bytes = next_store_bytes();
  const auto disk = lock_->free_bytes();
  auto free_bytes = disk ? disk.value() : UINT64_MAX;
  bool is_capped = false;
  const auto max_bytes = options_.max_bytes;
  if (max_bytes != 0) {
    DGFS_TRY(newest_bytes, bytes_on_disk(env_, path_of(manifest_.stores.back())));
    const auto taken_bytes = bytes_of_others() + newest_bytes;
    const auto room_bytes = max_bytes - std::min(max_bytes, taken_bytes);
    is_capped = room_bytes < free_bytes;
    free_bytes = std::min(free_bytes, room_bytes);
  }
  if (free_bytes >= needed_bytes) return ok();
  return Error(ErrorKind::kNoSpace, 7520,
               fmt::format("sealing needs {} MB for the next store; {} MB are free{}",
                           (needed_bytes + 999'999) / 1'000'000, free_bytes / 1'000'000,
                           is_capped ? " below size=" : ""))
      .in_file(directory_);
}

// It never falls, whatever the clock says.
Time DeltaDirectory::time_of_seal() const {
  Time time = env_.now();
  if (manifest_.base) time = std::max(time, manifest_.base->sealed_at);
  for (const StackedStore& store : manifest_.stores) time = std::max(time, store.layer.sealed_at);
  return time;
}

Result<SealPlan> DeltaDirectory::prepare_seal(const SealRequest& request,
                                              std::uint64_t end_of_objects,
                                              std::uint64_t last_sequence) {
  const StackedStore& newest_store = manifest_.stores.back();
  if (end_of_objects < newest_store.born_object) {
    return Error(ErrorKind::kInvalidArgument, 7148,
                 fmt::format("objects from {} on are born in the newest store, but from {} on in "
                             "the next one",
                             newest_store.born_object, end_of_objects))
        .in_file(directory_);
  }
  SealPlan plan;
  env_.random(plan.facts.state);
  plan.facts.end_of_objects = end_of_objects;
  plan.facts.name = request.name;
  plan.facts.sealed_at = time_of_seal();
  plan.image_path = request.image_path;
  plan.next.number = next_store_number(manifest_);
  plan.next.born_object = end_of_objects;
  plan.next.first_sequence = last_sequence + 1;
  plan.next.layer.parent = plan.facts.state;
  auto options = options_;
  options.parameters = newest().parameters();
  auto made = [&]() -> Status {
    DGFS_CHECK(make_stacked(env_, directory_, plan.next, options));
    DGFS_TRY(newest_bytes, bytes_on_disk(env_, path_of(newest_store)));
    DGFS_TRY(fresh,
             Store::open(env_, path_of(plan.next),
                         options_to_open(options_beside(options_, bytes_of_others() + newest_bytes),
                                         manifest_.stores.size() + 1, true)));
    plan.fresh = std::move(fresh);
    if (plan.fresh->takes_changes()) return ok();
    return Error(ErrorKind::kNoSpace, 7530,
                 "sealing needs space that the next store can keep in reserve; there is none")
        .in_file(directory_);
  }();
  if (made) return plan;
  give_up(std::move(plan));
  return std::move(made).error();
}

void DeltaDirectory::give_up(SealPlan plan) noexcept {
  plan.fresh = nullptr;
  try {
    static_cast<void>(remove_unused_store(env_, path_of(plan.next)));
  } catch (const std::bad_alloc&) {  // the next opening removes it
  }
}

// All memory is there before the manifest changes: afterwards the seal is made.
Result<Manifest> DeltaDirectory::commit_seal(const SealPlan& plan, std::uint64_t last_sequence) {
  Manifest next = manifest_;
  give_states(env_, next, plan.facts.sealed_at);
  const StateId parent = next.stores.back().layer.parent;
  next.stores.back().layer = plan.facts;
  next.stores.back().layer.parent = parent;
  next.stores.back().layer.last_sequence = last_sequence;
  next.stores.push_back(plan.next);
  next.next_number = plan.next.number + 1;
  if (!plan.image_path.empty() && plan.image_path.size() <= kImagePathBytesMax) {
    next.image_path = plan.image_path;
  }
  Manifest answer = next;
  auto stores = this->stores();
  stores.push_back(plan.fresh);
  const auto bytes = bytes_on_disk(env_, path_of(manifest_.stores.back()));
  DGFS_CHECK(write_next_manifest(env_, directory_, lock_, manifest_, next));
  const std::lock_guard lock(mutex_);
  manifest_ = std::move(next);
  stores_ = std::move(stores);
  closing_bytes_ = bytes ? bytes.value() : 0;
  sealed_bytes_ += closing_bytes_;
  return answer;
}

Status DeltaDirectory::begin_closing() { return stores()[manifest_.stores.size() - 2]->close(); }

Status DeltaDirectory::end_closing() {
  const std::size_t index = manifest_.stores.size() - 2;
  const StackedStore& layer = manifest_.stores[index];
  const auto path = path_of(layer);
  const auto old = stores()[index];
  DGFS_CHECK(old->make_layer({layer.layer.state, layer.layer.parent}));
  DGFS_CHECK(drop_log(env_, path));
  DGFS_CHECK(old->share());
  DGFS_TRY(store,
           Store::open(env_, path, options_to_open(options_, manifest_.stores.size(), false)));
  DGFS_CHECK(store->start());
  DGFS_TRY(bytes, bytes_on_disk(env_, path));
  {
    const std::lock_guard lock(mutex_);
    stores_[index] = std::move(store);
    sealed_bytes_ += bytes - std::exchange(closing_bytes_, 0);
  }
  renew_cap();
  return ok();
}

Result<SealOutcome> DeltaDirectory::seal(const SealRequest& request, std::uint64_t end_of_objects) {
  DGFS_CHECK(check_seal(request));
  const auto sealed = stores().back();
  const auto last_sequence = sealed->sequence();
  DGFS_TRY(plan, prepare_seal(request, end_of_objects, last_sequence));
  if (auto synced = sealed->sync(); !synced) {
    give_up(std::move(plan));
    return std::move(synced).error();
  }
  DGFS_CHECK(commit_seal(plan, last_sequence));
  SealOutcome outcome;
  outcome.layers = layers_of(manifest_);
  const StackedStore& layer = manifest_.stores[outcome.layers - 1];
  outcome.changes = last_sequence + 1 - layer.first_sequence;
  if (auto closed = close_layer(); !closed) outcome.unclosed = std::move(closed).error();
  const auto bytes = bytes_on_disk(env_, path_of(layer));
  outcome.bytes = bytes ? bytes.value() : 0;
  return outcome;
}

}  // namespace dgfs::delta
