// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/offline_rollback.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/store/store_files.h"
#include "delta/view/memory_guard.h"
#include "delta/view/offline_seal.h"
#include "delta/view/reserved_numbers.h"

namespace dgfs::view {
namespace {

constexpr const char* kHolder = "rollback";

// Whether an error tells that a store cannot be read, and not that this is no moment to read it.
bool is_of_store(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kIo:
    case ErrorKind::kCorrupt:
    case ErrorKind::kUnsupported:
    case ErrorKind::kNotFound:
    case ErrorKind::kNotDirectory:
    case ErrorKind::kIsDirectory:
    case ErrorKind::kChanged:
      return true;
    default:
      return false;
  }
}

delta::StoreOptions options_to_look() {
  auto options = options_to_seal();
  options.access = delta::StoreAccess::kReadOnly;
  return options;
}

Result<ObjectNumber> reserved_in_stores(const std::vector<std::shared_ptr<delta::Store>>& stores) {
  std::vector<delta::Snapshot> snapshots;
  for (const auto& store : stores) snapshots.push_back(store->snapshot("rollback"));
  return end_of_reserved(delta::StackSnapshot(std::move(snapshots)));
}

std::uint64_t changes_in_layer(const delta::Manifest& manifest, std::size_t index) {
  const delta::StackedStore& layer = manifest.stores[index];
  if (delta::has_states(manifest)) return delta::changes_in(layer);
  return manifest.stores[index + 1].first_sequence - layer.first_sequence;
}

// Finds what would be lost, and which numbers were given out, from the newest store down. Numbers
// rise from store to store, so the highest store with a reservation has the highest one.
class Survey {
 public:
  Survey(storage::Env& env, const std::string& directory, const delta::Manifest& manifest)
      : env_(env), directory_(directory), manifest_(manifest), ends_(delta::known_ends(manifest)) {}

  Status look_at_lost(std::size_t layers);
  Status look_at_rest(std::size_t layers);
  /// Errors: kLimit.
  [[nodiscard]] Result<delta::RollbackPlan> plan(std::size_t layers) const;
  [[nodiscard]] std::vector<LostStore> take_lost() { return std::move(lost_); }

 private:
  Status look_at(std::size_t index);
  Result<std::shared_ptr<delta::Store>> open(std::size_t index);
  Status note_reserved(const Result<ObjectNumber>& reserved);

  storage::Env& env_;
  const std::string& directory_;
  const delta::Manifest& manifest_;
  delta::KnownEnds ends_;
  bool has_reservation_ = false;
  bool knows_all_objects_ = true;  ///< false: an unreadable store may have reserved more
  bool knows_all_batches_ = true;
  std::optional<delta::StoreParameters> parameters_;
  std::vector<LostStore> lost_;
};

Status Survey::look_at_lost(std::size_t layers) {
  for (std::size_t index = manifest_.stores.size(); index-- > layers;) {
    DGFS_CHECK(look_at(index));
  }
  return ok();
}

Status Survey::look_at(std::size_t index) {
  const bool is_newest = index + 1 == manifest_.stores.size();
  LostStore lost;
  lost.store = manifest_.stores[index];
  if (const auto bytes = delta::bytes_on_disk(env_, delta::store_path(directory_, lost.store))) {
    lost.bytes = bytes.value();
  }
  if (!is_newest) lost.changes = changes_in_layer(manifest_, index);
  if (is_newest || !has_reservation_) {
    auto opened = open(index);
    if (opened && is_newest) {
      const auto end = opened.value()->sequence() + 1;
      lost.changes = end - lost.store.first_sequence;
      ends_.sequences = std::max(ends_.sequences, end);
    }
    knows_all_batches_ = knows_all_batches_ && (opened || !is_newest);
    const auto reserved = opened ? reserved_in_stores({opened.value()})
                                 : Result<ObjectNumber>(std::move(opened).error());
    DGFS_CHECK(note_reserved(reserved));
    if (!reserved) lost.unreadable = reserved.error();
  }
  lost_.push_back(std::move(lost));
  return ok();
}

Result<std::shared_ptr<delta::Store>> Survey::open(std::size_t index) {
  const auto path = delta::store_path(directory_, manifest_.stores[index]);
  DGFS_TRY(superblock, delta::read_store_superblock(env_, path));
  DGFS_CHECK(delta::check_stacked(superblock, manifest_, index, directory_));
  if (!parameters_) parameters_ = superblock.parameters;
  DGFS_TRY(store, delta::Store::open(env_, path, options_to_look()));
  DGFS_CHECK(delta::check_layer_end(store->sequence(), manifest_, index, directory_));
  return std::shared_ptr<delta::Store>(std::move(store));
}

Status Survey::note_reserved(const Result<ObjectNumber>& reserved) {
  if (!reserved) {
    knows_all_objects_ = false;
    return is_of_store(reserved.error()) ? ok() : Status(reserved.error());
  }
  has_reservation_ = reserved.value() != 0;
  ends_.objects = std::max(ends_.objects, reserved.value());
  return ok();
}

// A state that cannot be opened is none to return to.
Status Survey::look_at_rest(std::size_t layers) {
  if (layers == 0) {
    const auto held = delta::HeldBase::hold(env_, directory_, manifest_);
    return held ? ok() : Status(held.error());
  }
  const auto find = [&](const delta::Manifest&) -> Result<std::size_t> { return layers; };
  DGFS_TRY(rest, delta::DeltaDirectory::open_state(env_, directory_, find, options_to_look()));
  if (!parameters_) parameters_ = rest->newest().parameters();
  return has_reservation_ ? ok() : note_reserved(reserved_in_stores(rest->stores()));
}

Result<delta::RollbackPlan> Survey::plan(std::size_t layers) const {
  delta::RollbackPlan plan;
  plan.layers = layers;
  plan.objects = ends_.objects;
  plan.sequence = ends_.sequences;
  plan.parameters = parameters_.value_or(delta::StoreParameters());
  for (auto [number, is_known] : {std::pair(&plan.objects, knows_all_objects_),
                                  std::pair(&plan.sequence, knows_all_batches_)}) {
    if (is_known) continue;
    if (*number > UINT64_MAX - 2 * kUnknownNumbers) {
      return Error(ErrorKind::kLimit, 7665, "there are no more numbers of objects or batches")
          .in_file(directory_);
    }
    *number += kUnknownNumbers;
  }
  return plan;
}

Result<bool> are_all_closed(storage::Env& env, const std::string& directory,
                            const delta::Manifest& manifest) {
  for (const delta::StackedStore& store : manifest.stores) {
    DGFS_TRY(superblock, delta::read_store_superblock(env, delta::store_path(directory, store)));
    if (!superblock.log.is_end) return false;
  }
  return true;
}

}  // namespace

bool PreparedRollback::is_needless() const {
  return lost.size() == 1 && lost.front().changes == 0 && !lost.front().unreadable;
}

std::uint64_t PreparedRollback::lost_bytes() const {
  std::uint64_t bytes = 0;
  for (const LostStore& store : lost) bytes += store.bytes;
  return bytes;
}

Result<PreparedRollback> prepare_rollback(storage::Env& env, const std::string& directory,
                                          std::string_view state, delta::StoreAccess access) {
  return whole_or_refused([&]() -> Result<PreparedRollback> {
    PreparedRollback prepared;
    DGFS_TRY(locked, delta::lock_manifest(env, directory, access));
    prepared.locked = std::move(locked);
    const delta::Manifest& manifest = prepared.locked.manifest;
    DGFS_TRY(found, delta::find_state(manifest, state, directory));
    const auto layers = std::min(found, delta::layers_of(manifest));
    Survey survey(env, directory, manifest);
    DGFS_CHECK(survey.look_at_lost(layers));
    DGFS_CHECK(survey.look_at_rest(layers));
    DGFS_TRY(plan, survey.plan(layers));
    prepared.plan = std::move(plan);
    prepared.lost = survey.take_lost();
    return prepared;
  });
}

Status close_unchanged(storage::Env& env, const std::string& directory,
                       PreparedRollback& prepared) {
  return whole_or_refused([&]() -> Status {
    DGFS_TRY(is_whole, are_all_closed(env, directory, prepared.locked.manifest));
    prepared.locked = {};
    if (is_whole) return ok();
    DGFS_TRY(delta, delta::DeltaDirectory::open(env, directory, options_to_seal()));
    return delta->close();
  });
}

Result<delta::RollbackOutcome> make_rollback(storage::Env& env, const std::string& directory,
                                             PreparedRollback& prepared) {
  return whole_or_refused(
      [&] { return delta::roll_back(env, directory, prepared.locked, prepared.plan); });
}

}  // namespace dgfs::view
