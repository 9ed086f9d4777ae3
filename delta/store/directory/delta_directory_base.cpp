// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Bases: a merge puts one below the stores, in place of the image and the oldest layers.
#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"

namespace dgfs::delta {
namespace {

// The newest states are the ones that somebody may ask for.
void note_absorbed(const StateId& state, Manifest& manifest) {
  if (is_base(state)) return;
  if (manifest.absorbed.size() == kAbsorbedMax) manifest.absorbed.erase(manifest.absorbed.begin());
  manifest.absorbed.push_back(state);
}

// The state, with its name, goes from the uppermost merged layer to the base.
void absorb(std::size_t layers, BaseFacts base, Manifest& manifest) {
  base.end_of_image =
      manifest.base ? manifest.base->end_of_image : manifest.stores.front().born_object;
  if (manifest.base) {
    base.end_of_numbers = std::max(base.end_of_numbers, manifest.base->end_of_numbers);
    note_absorbed(manifest.base->state, manifest);
  }
  for (std::size_t i = 0; i + 1 < layers; ++i) {
    note_absorbed(manifest.stores[i].layer.state, manifest);
  }
  const LayerFacts& layer = manifest.stores[layers - 1].layer;
  base.state = layer.state;
  base.sealed_at = layer.sealed_at;
  base.pins = layer.pins;
  base.name = layer.name;
  manifest.stores.erase(manifest.stores.begin(),
                        manifest.stores.begin() + static_cast<std::ptrdiff_t>(layers));
  manifest.next_number = std::max(manifest.next_number, base.number + 1);
  manifest.base = std::move(base);
}

// More changes of the manifest than this do not come between two readings by chance.
constexpr int kBaseReadingsMax = 100;

}  // namespace

std::uint64_t next_base_number(const Manifest& manifest) {
  if (!has_states(manifest)) return manifest.stores.back().number + 1;
  return std::max(manifest.next_number, manifest.base ? manifest.base->number + 1 : 1);
}

Result<PreparedBase> DeltaDirectory::prepare_base(const BasePlan& plan) const {
  if (plan.layers == 0 || plan.layers > layers_of(manifest_)) {
    return Error(ErrorKind::kInvalidArgument, 7616, "a base of layers that are not there")
        .in_file(directory_);
  }
  PreparedBase base;
  base.next = manifest_;
  absorb(plan.layers, plan.base, base.next);
  ++base.next.generation;
  if (const auto readable = decode_manifest(encode_manifest(base.next)); !readable) {
    return Error(readable.error()).in_file(directory_);
  }
  DGFS_TRY(held, HeldBase::hold(env_, directory_, base.next));
  base.held = std::move(held);
  base.stores = stores();
  for (std::size_t i = 0; i < plan.layers; ++i) {
    const auto bytes = bytes_on_disk(env_, path_of(manifest_.stores[i]));
    if (bytes) base.absorbed_bytes += bytes.value();
  }
  base.stores.erase(base.stores.begin(),
                    base.stores.begin() + static_cast<std::ptrdiff_t>(plan.layers));
  return base;
}

// Once the manifest has changed, the base is in its place: that needs no memory.
Status DeltaDirectory::commit_base(PreparedBase base) {
  DGFS_CHECK(write_both_slots(*lock_, base.next));
  {
    const std::lock_guard lock(mutex_);
    manifest_ = std::move(base.next);
    stores_ = std::move(base.stores);
    sealed_bytes_ -= std::min(sealed_bytes_, base.absorbed_bytes);
    std::swap(held_, base.held);
    held_before_ = std::move(base.held);
  }
  renew_cap();
  return ok();
}

Result<bool> DeltaDirectory::remove_unneeded() {
  held_before_ = {};
  has_unneeded_ = true;
  std::set<std::uint64_t> kept;
  for (const auto& [number, bytes_needed] : being_joined_) kept.insert(number);
  DGFS_TRY(stores, remove_absorbed_stores(env_, directory_, manifest_, kept));
  DGFS_TRY(bases, remove_unneeded_bases(env_, directory_, manifest_));
  has_unneeded_ = stores.held != 0 || bases.held != 0;
  return !has_unneeded_;
}

// Whoever removes a base changes the manifest first. So if the manifest still names it once it is
// held, it stays.
Result<PresentBase> hold_present_base(storage::Env& env, const std::string& directory) {
  for (int attempt = 0;; ++attempt) {
    DGFS_TRY(manifest, read_present_manifest(env, directory));
    auto held = HeldBase::hold(env, directory, manifest);
    DGFS_TRY(now, read_present_manifest(env, directory));
    if (now.base == manifest.base) {
      DGFS_CHECK(held);
      return PresentBase{std::move(now), std::move(held).value()};
    }
    if (attempt == kBaseReadingsMax) {
      return Error(ErrorKind::kBusy, 7637, "its base keeps changing").in_file(directory);
    }
  }
}

}  // namespace dgfs::delta
