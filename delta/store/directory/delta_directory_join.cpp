// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Joins: one layer takes the place of several neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"

namespace dgfs::delta {
namespace {

// A joined layer needs no more than the layers, apart from its superblocks, the nodes, and the ends
// of blocks.
constexpr std::uint64_t kJoinSlackBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kJoinSlackShare = 16;

bool is_same_store(const StackedStore& one, const StackedStore& other) {
  return one.number == other.number && one.uuid == other.uuid;
}

// The facts of the oldest say what is below, those of the newest what there is.
StackedStore joined_facts(const std::vector<StackedStore>& layers) {
  StackedStore joined = layers.back();
  joined.born_object = layers.front().born_object;
  joined.first_sequence = layers.front().first_sequence;
  joined.layer.parent = layers.front().layer.parent;
  return joined;
}

// Where the layers of a plan are now; nullopt: they are not neighbours in the stack any more.
std::optional<LayerRange> place_of(const JoinPlan& plan, const Manifest& manifest) {
  const auto& stores = manifest.stores;
  const auto at = std::search(stores.begin(), stores.end(), plan.layers.begin(), plan.layers.end(),
                              is_same_store);
  if (at == stores.end()) return std::nullopt;
  const auto begin = static_cast<std::size_t>(at - stores.begin());
  return LayerRange{begin, begin + plan.layers.size()};
}

}  // namespace

std::uint64_t bytes_to_join(std::uint64_t layer_bytes) {
  return layer_bytes + layer_bytes / kJoinSlackShare + kJoinSlackBytes;
}

Result<std::uint64_t> DeltaDirectory::bytes_to_join(const LayerRange& layers) const {
  std::uint64_t bytes = 0;
  for (std::size_t i = layers.begin; i < layers.end; ++i) {
    DGFS_TRY(own, bytes_on_disk(env_, path_of(manifest_.stores[i])));
    bytes += own;
  }
  return delta::bytes_to_join(bytes);
}

Status DeltaDirectory::check_join(const LayerRange& layers) const {
  if (options_.access == StoreAccess::kReadOnly) {
    return Error(ErrorKind::kPermission, 7640, "the delta is open only for reading")
        .in_file(directory_);
  }
  if (!has_states(manifest_) || layers.begin + 2 > layers.end ||
      layers.end > layers_of(manifest_)) {
    return Error(ErrorKind::kInvalidArgument, 7641, "a join of layers that are not there")
        .in_file(directory_);
  }
  for (std::size_t i = layers.begin; i + 1 < layers.end; ++i) {
    if (!is_wanted(manifest_.stores[i].layer)) continue;
    return Error(ErrorKind::kInvalidArgument, 7642,
                 fmt::format("the state {} has a name or pins, and would be lost",
                             state_title(manifest_, i + 1)))
        .in_file(directory_);
  }
  if (manifest_.next_number + 1 > kDirectoryNumberMax) {
    return Error(ErrorKind::kLimit, 7643, "there is no higher number of a store")
        .in_file(directory_);
  }
  return ok();
}

std::uint64_t DeltaDirectory::bytes_of_others() const {
  auto bytes = sealed_bytes();
  for (const auto& [number, bytes_needed] : being_joined_) bytes += bytes_needed;
  return bytes;
}

void DeltaDirectory::renew_cap() {
  if (options_.max_bytes == 0) return;
  newest().set_max_bytes(options_beside(options_, bytes_of_others()).max_bytes);
}

// Of the disk, and below the cap.
Result<std::uint64_t> DeltaDirectory::free_bytes() const {
  const auto disk = lock_->free_bytes();
  const auto free = disk ? disk.value() : UINT64_MAX;
  if (options_.max_bytes == 0) return free;
  DGFS_TRY(newest_bytes, bytes_on_disk(env_, path_of(manifest_.stores.back())));
  const auto taken_bytes = bytes_of_others() + newest_bytes;
  return std::min(free, options_.max_bytes - std::min(options_.max_bytes, taken_bytes));
}

Status DeltaDirectory::check_space_to_join(std::uint64_t bytes_needed) const {
  DGFS_TRY(free, free_bytes());
  if (free >= bytes_needed) return ok();
  return Error(ErrorKind::kNoSpace, 7644,
               fmt::format("a join of layers needs {} MB, and {} MB are free",
                           (bytes_needed + 999'999) / 1'000'000, free / 1'000'000))
      .in_file(directory_);
}

Result<JoinPlan> DeltaDirectory::begin_join(const LayerRange& layers) {
  DGFS_CHECK(check_join(layers));
  JoinPlan plan;
  DGFS_TRY(bytes_needed, bytes_to_join(layers));
  plan.bytes_needed = bytes_needed;
  DGFS_CHECK(check_space_to_join(bytes_needed));
  plan.layers.assign(manifest_.stores.begin() + static_cast<std::ptrdiff_t>(layers.begin),
                     manifest_.stores.begin() + static_cast<std::ptrdiff_t>(layers.end));
  plan.joined = joined_facts(plan.layers);
  plan.joined.number = manifest_.next_number;
  plan.joined.uuid = {};
  Manifest next = manifest_;
  ++next.next_number;
  const auto noted = being_joined_.emplace(plan.joined.number, bytes_needed).first;
  try {
    auto written = rewrite(std::move(next));
    if (!written) being_joined_.erase(noted);
    DGFS_CHECK(written);
  } catch (const std::bad_alloc&) {
    being_joined_.erase(noted);
    throw;
  }
  renew_cap();
  return plan;
}

void DeltaDirectory::give_up(const JoinPlan& plan) noexcept {
  being_joined_.erase(plan.joined.number);
  renew_cap();
  try {
    static_cast<void>(remove_layer(env_, path_of(plan.joined)));
  } catch (const std::bad_alloc&) {  // the next opening removes it
  }
}

Result<PreparedJoin> DeltaDirectory::prepare_join(const JoinPlan& plan) const {
  const auto place = place_of(plan, manifest_);
  const Error changed = Error(ErrorKind::kChanged, 7645,
                              "the layers of a join were joined, merged or named meanwhile")
                            .in_file(directory_);
  if (!place || !check_join(*place)) return changed;
  PreparedJoin join;
  join.next = manifest_;
  auto& stacked = join.next.stores;
  const auto begin = stacked.begin() + static_cast<std::ptrdiff_t>(place->begin);
  const auto end = stacked.begin() + static_cast<std::ptrdiff_t>(place->end);
  // The newest state may have got a name.
  StackedStore joined = joined_facts({begin, end});
  joined.number = plan.joined.number;
  joined.uuid = plan.joined.uuid;
  stacked.insert(stacked.erase(begin, end), joined);
  ++join.next.generation;
  if (const auto readable = decode_manifest(encode_manifest(join.next)); !readable) {
    return Error(readable.error()).in_file(directory_);
  }
  const auto path = path_of(joined);
  DGFS_TRY(superblock, read_store_superblock(env_, path));
  DGFS_CHECK(check_stacked(superblock, join.next, place->begin, directory_));
  DGFS_TRY(store, Store::open(env_, path, options_to_open(options_, stacked.size(), false)));
  DGFS_CHECK(store->start());
  DGFS_TRY(bytes, bytes_on_disk(env_, path));
  join.joined_bytes = bytes;
  for (std::size_t i = place->begin; i < place->end; ++i) {
    const auto replaced = bytes_on_disk(env_, path_of(manifest_.stores[i]));
    if (replaced) join.replaced_bytes += replaced.value();
  }
  join.stores = stores();
  join.stores.erase(join.stores.begin() + static_cast<std::ptrdiff_t>(place->begin) + 1,
                    join.stores.begin() + static_cast<std::ptrdiff_t>(place->end));
  join.stores[place->begin] = std::move(store);
  return join;
}

// Once the manifest has changed, the joined layer is in its place: that needs no memory.
Status DeltaDirectory::commit_join(PreparedJoin join) {
  DGFS_CHECK(write_both_slots(*lock_, join.next));
  {
    const std::lock_guard lock(mutex_);
    manifest_ = std::move(join.next);
    stores_.swap(join.stores);
    sealed_bytes_ += join.joined_bytes;
    sealed_bytes_ -= std::min(sealed_bytes_, join.replaced_bytes);
  }
  for (const StackedStore& store : manifest_.stores) being_joined_.erase(store.number);
  renew_cap();
  return ok();
}

}  // namespace dgfs::delta
