// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Updates: a store that is written, and sealed, before the manifest names it.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/manifest_change.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"

namespace dgfs::delta {
namespace {

std::string newest_state_name(const Manifest& manifest) {
  const auto layers = layers_of(manifest);
  if (layers != 0) return manifest.stores[layers - 1].layer.name;
  return manifest.base ? manifest.base->name : std::string();
}

}  // namespace

// With the name of the newest state it depends on whether anything has changed since.
Status DeltaDirectory::check_update(const SealRequest& request) const {
  if (request.name.empty() || request.name != newest_state_name(manifest_)) {
    DGFS_CHECK(check_name(request));
  }
  const std::size_t more = is_unchanged() ? 1 : 2;
  if (layers_of(manifest_) + more > kLayersMax) {
    return Error(ErrorKind::kLimit, 7670,
                 fmt::format("the delta has {} layers, and would get {} more, but it may have {}; "
                             "'dgfs delta merge' makes layers a part of its base",
                             layers_of(manifest_), more, kLayersMax))
        .in_file(directory_);
  }
  if (next_store_number(manifest_) + 1 >= kDirectoryNumberMax) {
    return Error(ErrorKind::kLimit, 7683, "there is no higher number of a store")
        .in_file(directory_);
  }
  return options_.access == StoreAccess::kReadOnly ? Status(ok()) : check_space();
}

Status DeltaDirectory::begin_update(const SealRequest& request, std::uint64_t end_of_objects) {
  DGFS_CHECK(check_name(request));
  DGFS_CHECK(check_update(request));
  StackedStore own;
  own.number = next_store_number(manifest_);
  own.born_object = end_of_objects;
  own.first_sequence = newest().sequence() + 1;
  StackedStore next;
  next.number = own.number + 1;
  update_.emplace(
      UpdateUnderWay{manifest_, request, is_unchanged(), false, path_of(own), path_of(next)});
  auto options = options_;
  options.parameters = newest().parameters();
  DGFS_CHECK(mark_draft(env_, update_->path));
  DGFS_CHECK(make_stacked(env_, directory_, own, options));
  DGFS_TRY(newest_bytes, bytes_on_disk(env_, path_of(manifest_.stores.back())));
  DGFS_TRY(store,
           Store::open(env_, update_->path,
                       options_to_open(options_beside(options_, sealed_bytes() + newest_bytes),
                                       manifest_.stores.size() + 1, true)));
  if (!store->takes_changes()) {
    return Error(ErrorKind::kNoSpace, 7671,
                 "an update needs space that its store can keep in reserve; there is none")
        .in_file(directory_);
  }
  DGFS_CHECK(store->start());
  const std::lock_guard lock(mutex_);
  stores_.reserve(stores_.size() + 1);
  manifest_.stores.push_back(std::move(own));
  stores_.push_back(std::move(store));
  sealed_bytes_ += newest_bytes;
  return ok();
}

// Facts of the update's store, and of the one below it, which is a layer now unless it goes.
Manifest DeltaDirectory::manifest_of_update(std::uint64_t end_of_objects) const {
  StackedStore own = manifest_.stores.back();
  Manifest next = update_->before;
  const Time sealed_at = time_of_seal();
  give_states(env_, next, sealed_at);
  LayerFacts& below = next.stores.back().layer;
  own.layer.parent = below.parent;
  if (update_->is_replacing) {
    next.stores.pop_back();
  } else {
    env_.random(below.state);
    below.end_of_objects = own.born_object;
    below.last_sequence = own.first_sequence - 1;
    below.sealed_at = sealed_at;
    own.layer.parent = below.state;
  }
  env_.random(own.layer.state);
  own.layer.end_of_objects = end_of_objects;
  own.layer.last_sequence = newest().sequence();
  own.layer.sealed_at = sealed_at;
  own.layer.name = update_->request.name;
  StackedStore fresh;
  fresh.number = own.number + 1;
  fresh.born_object = end_of_objects;
  fresh.first_sequence = own.layer.last_sequence + 1;
  fresh.layer.parent = own.layer.state;
  next.stores.push_back(std::move(own));
  next.stores.push_back(std::move(fresh));
  next.next_number = next.stores.back().number + 1;
  const auto& image_path = update_->request.image_path;
  if (!image_path.empty() && image_path.size() <= kImagePathBytesMax) next.image_path = image_path;
  return next;
}

// All that the manifest will name is durable before it changes.
Result<SealOutcome> DeltaDirectory::commit_update(std::uint64_t end_of_objects) {
  Manifest next = manifest_of_update(end_of_objects);
  SealOutcome outcome;
  outcome.layers = layers_of(next);
  const StackedStore& own = next.stores[outcome.layers - 1];
  outcome.changes = own.layer.last_sequence + 1 - own.first_sequence;
  const auto store = newest_store();
  DGFS_CHECK(store->make_layer({own.layer.state, own.layer.parent}));
  DGFS_CHECK(drop_log(env_, update_->path));
  auto options = options_;
  options.parameters = store->parameters();
  DGFS_CHECK(make_stacked(env_, directory_, next.stores.back(), options));
  update_->is_named = true;
  DGFS_CHECK(write_next_manifest(env_, directory_, lock_, update_->before, next));
  {
    const std::lock_guard lock(mutex_);
    manifest_ = std::move(next);
  }
  // From here on the update has been made, whatever fails.
  if (auto finished = finish_update(); !finished) outcome.unclosed = std::move(finished).error();
  const auto bytes = bytes_on_disk(env_, update_->path);
  outcome.bytes = bytes ? bytes.value() : 0;
  update_.reset();
  return outcome;
}

// The store below the update's is not written to any more.
Status DeltaDirectory::finish_update() {
  unmark_draft(env_, update_->path);
  auto stores = this->stores();
  auto below = std::move(stores[stores.size() - 2]);
  stores.erase(stores.end() - 2);
  {
    const std::lock_guard lock(mutex_);
    stores_ = std::move(stores);
  }
  const StackedStore& layer = update_->before.stores.back();
  const auto path = path_of(layer);
  if (update_->is_replacing) {
    below = nullptr;  // ends its lock
    DGFS_CHECK(remove_layer(env_, path));
    return ok();
  }
  DGFS_CHECK(finish_layer(*below, manifest_.stores[manifest_.stores.size() - 3]));
  return drop_log(env_, path);
}

void DeltaDirectory::give_up_update() noexcept {
  if (!update_) return;
  try {
    {
      const std::lock_guard lock(mutex_);
      if (!update_->is_named && stores_.size() > update_->before.stores.size()) {
        stores_.pop_back();
        manifest_ = update_->before;
      }
    }
    if (!update_->is_named) {
      static_cast<void>(remove_unused_store(env_, update_->next_path));
      static_cast<void>(remove_layer(env_, update_->path));
    }
  } catch (const std::bad_alloc&) {  // the next opening removes them
  }
  update_.reset();
}

}  // namespace dgfs::delta
