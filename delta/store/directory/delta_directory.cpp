// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/delta_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "delta/store/copied_store.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/private_mode.h"
#include "delta/store/store_files.h"
#include "storage/file_mode.h"

namespace dgfs::delta {
namespace {

using storage::OpenOptions;

Status publish_manifest(storage::Env& env, const std::string& directory, Manifest& manifest) {
  DGFS_TRY(file, env.create_unnamed(directory));
  DGFS_CHECK(write_both_slots(*file, manifest));
  DGFS_CHECK(env.publish(*file, manifest_path(directory), kPrivateFile));
  return env.sync_directory(storage::parent_path(directory));
}

Error not_the_one(std::uint16_t code, const std::string& store, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text))
      .in_file(store + "/store")
      .in_section("superblock");
}

// How long open_state() waits for a layer that is being closed.
constexpr std::chrono::milliseconds kClosingInterval{20};
constexpr int kClosingWaitsMax = 3000;
// More changes of the manifest than this do not come between two readings by chance.
constexpr int kReadingsMax = 100;

bool is_copied(storage::Env& env, const std::string& store) {
  const auto superblock = read_store_superblock(env, store);
  if (!superblock) return false;
  const auto identity = read_store_identity(env, store, superblock.value());
  return identity && is_copy(superblock.value(), identity.value());
}

// Stores of a copy that do not fit the manifest are of another moment; those of the delta itself
// are damaged.
Error unlike(storage::Env& env, const std::string& directory, const Manifest& manifest,
             const Error& error) {
  const bool is_any_copied = std::any_of(
      manifest.stores.begin(), manifest.stores.end(),
      [&](const StackedStore& store) { return is_copied(env, store_path(directory, store)); });
  return is_any_copied && error.kind() == ErrorKind::kCorrupt ? torn_copy(directory, error) : error;
}

Result<Superblock> read_stacked(storage::Env& env, const std::string& directory,
                                const Manifest& manifest, std::size_t index) {
  const auto path = store_path(directory, manifest.stores[index]);
  auto superblock = read_store_superblock(env, path);
  if (!superblock && superblock.error().kind() == ErrorKind::kNotFound) {
    return unlike(env, directory, manifest,
                  Error(ErrorKind::kCorrupt, 7142, "the manifest names a store that is missing")
                      .in_file(path));
  }
  if (!superblock) return std::move(superblock).error();
  if (auto fits = check_stacked(superblock.value(), manifest, index, directory); !fits) {
    return unlike(env, directory, manifest, fits.error());
  }
  return superblock;
}

// Batches that the superblock of a layer lacks are in its log.
Status check_end(std::uint64_t sequence, const StackedStore& layer, const std::string& path) {
  if (sequence == layer.layer.last_sequence) return ok();
  return not_the_one(
      7512, path,
      fmt::format("has batches up to {} with its log, but the manifest says that the "
                  "layer ends with {}",
                  sequence, layer.layer.last_sequence));
}

Status check_layer_superblock(const Superblock& superblock, const StackedStore& layer,
                              const std::string& path) {
  const LayerFacts& facts = layer.layer;
  const bool has_log = !superblock.sealed && !superblock.log.is_end;
  if (superblock.sequence > facts.last_sequence ||
      (superblock.sequence != facts.last_sequence && !has_log)) {
    return not_the_one(7511, path,
                       fmt::format("ends with sequence {}, but the manifest says that the layer "
                                   "ends with {}",
                                   superblock.sequence, facts.last_sequence));
  }
  if (superblock.sealed && superblock.sealed->state != facts.state) {
    return not_the_one(7514, path,
                       fmt::format("has the state {}, but the manifest says {}",
                                   state_text(superblock.sealed->state), state_text(facts.state)));
  }
  return ok();
}

// A copy of a layer without the times of the files was read completely when it was opened. With
// them, the next opening need not do that again.
void vouch_for(storage::Env& env, const std::string& layer) {
  const auto superblock = read_store_superblock(env, layer);
  if (!superblock || !superblock.value().sealed) return;
  const auto origin = read_origin(env, layer, superblock.value());
  if (!origin || origin.value() != Origin::kUnproven) return;
  note_closed(env, layer, superblock.value().closed_at);
}

// The number of the store that has a directory of this name, unless the manifest names it. Other
// files with such a name are the user's.
std::optional<std::uint64_t> unnamed_store(const storage::Directory& directory,
                                           const std::string& name, const Manifest& manifest) {
  std::uint64_t number = 0;
  const auto* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  StackedStore own;
  own.number = number;
  if (error != std::errc() || stop != end || own.name() != name) return std::nullopt;
  const auto is_named = [&](const StackedStore& store) { return store.name() == name; };
  if (std::any_of(manifest.stores.begin(), manifest.stores.end(), is_named)) return std::nullopt;
  const auto status = directory.status(name);
  if (!status || !storage::is_type(status.value().mode, storage::kTypeDirectory)) {
    return std::nullopt;
  }
  return number;
}

// Removes directories of seals and updates that were cut off before the manifest named them:
// nothing in those of seals was durable, and those of updates are drafts. What cannot be removed,
// since the disk is damaged, say, is no reason to refuse the delta.
Result<Removal> remove_leftovers(storage::Env& env, const std::string& directory,
                                 const Manifest& manifest) {
  DGFS_TRY(opened, env.open_directory(directory));
  DGFS_TRY(names, opened->list());
  std::size_t removed = 0;
  for (const std::string& name : names) {
    if (name.starts_with(".new.") && is_hidden_rest(name)) {  // of write_next_manifest()
      DGFS_CHECK(env.remove(directory + "/" + name));
      continue;
    }
    if (!unnamed_store(*opened, name, manifest)) continue;
    const auto path = directory + "/" + name;
    const auto is_gone =
        is_draft(env, path) ? remove_layer(env, path) : remove_unused_store(env, path);
    if (is_gone && is_gone.value()) ++removed;
  }
  Removal all{removed, 0};
  for (const auto& part : {remove_absorbed_stores(env, directory, manifest),
                           remove_unneeded_bases(env, directory, manifest)}) {
    all.removed += part ? part.value().removed : 0;
    all.held += part ? part.value().held : 1;
  }
  return all;
}

// The slot that was read may not be on the disk, so it is written again and synced. If the other
// slot has the old stack, a change of the stack was interrupted between the two slots.
Status heal(storage::File& file, Manifest& manifest) {
  DGFS_CHECK(write_manifest(file, manifest));
  Buffer other(manifest.slot_bytes());
  DGFS_TRY(count, file.read_at((manifest.generation + 1) % 2 * manifest.slot_bytes(),
                               MutableBytes(other)));
  other.resize(count);
  const auto found = decode_manifest(other);
  if (found && found.value().says_the_same(manifest)) return ok();
  ++manifest.generation;
  return write_manifest(file, manifest);
}

}  // namespace

// No number of a store is used again, so a lower one belongs to a layer that a merge or a join has
// taken, to a join that was cut off, to an empty store that an update has replaced, or to a store
// that a rollback has left.
Result<Removal> remove_absorbed_stores(storage::Env& env, const std::string& directory,
                                       const Manifest& manifest,
                                       const std::set<std::uint64_t>& kept) {
  Removal removal;
  std::optional<Error> failed;
  if (!has_states(manifest)) return removal;
  DGFS_TRY(opened, env.open_directory(directory));
  DGFS_TRY(names, opened->list());
  for (const std::string& name : names) {
    const auto number = unnamed_store(*opened, name, manifest);
    if (!number || *number >= manifest.next_number || kept.contains(*number)) continue;
    auto is_gone = remove_layer(env, directory + "/" + name);
    if (is_gone) {
      ++(is_gone.value() ? removal.removed : removal.held);
    } else if (!failed) {
      failed = std::move(is_gone).error();
    }
  }
  if (removal.removed != 0) {
    DGFS_CHECK(env.sync_directory(directory));
  }
  if (failed) return *failed;
  return removal;
}

Result<LockedManifest> lock_manifest(storage::Env& env, const std::string& directory,
                                     StoreAccess access) {
  const bool only_reads = access == StoreAccess::kReadOnly;
  std::unique_ptr<storage::File> file;
  // The first seal of a delta replaces the file.
  for (int attempt = 0; file == nullptr; ++attempt) {
    DGFS_TRY(opened,
             env.open(manifest_path(directory),
                      {only_reads ? OpenOptions::Mode::kRead : OpenOptions::Mode::kReadWrite}));
    if (auto taken = only_reads ? opened->lock_shared() : opened->lock(); !taken) {
      if (taken.error().kind() != ErrorKind::kBusy) return std::move(taken).error();
      return Error(ErrorKind::kBusy, 7150,
                   "the delta is in use by " + storage::holders_text(*opened))
          .in_file(directory);
    }
    DGFS_TRY(is_current, has_name(env, *opened, manifest_path(directory)));
    if (is_current) {
      file = std::move(opened);
    } else if (attempt == kReadingsMax || !env.status(manifest_path(directory))) {
      return Error(ErrorKind::kNotFound, 7422, "the delta was removed meanwhile")
          .in_file(directory);
    }
  }
  DGFS_TRY(manifest, read_manifest(*file));
  Privacy privacy;
  if (!only_reads) {
    // The process that made the delta may have ended before the names were durable.
    DGFS_CHECK(env.sync_directory(directory));
    DGFS_CHECK(env.sync_directory(storage::parent_path(directory)));
    DGFS_CHECK(heal(*file, manifest));
    // Before anything is written to it that others should not read.
    DGFS_TRY(made_private, make_private(env, directory));
    privacy = std::move(made_private);
  }
  return LockedManifest{std::move(file), std::move(manifest), std::move(privacy)};
}

Status check_stacked(const Superblock& superblock, const Manifest& manifest, std::size_t index,
                     const std::string& directory) {
  const StackedStore& store = manifest.stores[index];
  const auto path = store_path(directory, store);
  if (superblock.store != store.uuid) {
    return not_the_one(
        7143, path,
        fmt::format("has UUID {}, but the manifest says {}", format::uuid_text(superblock.store),
                    format::uuid_text(store.uuid)));
  }
  if (superblock.parameters.born_object != store.born_object) {
    return not_the_one(7144, path,
                       fmt::format("owns objects from {} on, but the manifest says {}",
                                   superblock.parameters.born_object, store.born_object));
  }
  if (superblock.sequence + 1 < store.first_sequence) {
    return not_the_one(7145, path,
                       fmt::format("ends with sequence {}, but the manifest says it begins with {}",
                                   superblock.sequence, store.first_sequence));
  }
  const bool is_newest = index + 1 == manifest.stores.size();
  if (superblock.sealed && is_base(store.layer.state)) {
    return not_the_one(7513, path, "is sealed, but the manifest says that it is written to");
  }
  if (has_states(manifest)) {
    if (is_base(store.layer.state)) return ok();
    return check_layer_superblock(superblock, store, path);
  }
  if (!is_newest && superblock.sequence + 1 != manifest.stores[index + 1].first_sequence) {
    return not_the_one(7146, path,
                       fmt::format("ends with sequence {}, but the manifest says that the next "
                                   "store begins with {}",
                                   superblock.sequence, manifest.stores[index + 1].first_sequence));
  }
  return ok();
}

Status DeltaDirectory::create(storage::Env& env, const std::string& directory,
                              const format::Uuid& image, std::uint64_t born_object,
                              const StoreOptions& options, std::uint64_t chunk_bytes) {
  if (!is_chunk_length(chunk_bytes)) {
    return Error(ErrorKind::kInvalidArgument, 7166,
                 "chunks must have 512 bytes to 1 MiB, and a power of two");
  }
  auto made = env.make_directory(directory, kPrivateDirectory);
  if (!made && made.error().kind() != ErrorKind::kExists) return made;
  const auto lock = lock_for_making(env, directory);  // held until it is made
  if (!lock) return lock.error();
  const auto found = env.status(manifest_path(directory));
  if (found) {
    return Error(ErrorKind::kExists, 7147, "a delta exists already").in_file(directory);
  }
  if (found.error().kind() != ErrorKind::kNotFound) return found.error();
  Manifest manifest;
  env.random(manifest.delta);
  manifest.image = image;
  manifest.chunk_bytes = chunk_bytes;
  StackedStore store;
  store.born_object = born_object;
  DGFS_CHECK(make_stacked(env, directory, store, options));
  manifest.stores.push_back(store);
  return publish_manifest(env, directory, manifest);
}

Result<std::unique_ptr<DeltaDirectory>> DeltaDirectory::open(storage::Env& env,
                                                             const std::string& directory,
                                                             const StoreOptions& options) {
  DGFS_TRY(locked, lock_manifest(env, directory, options.access));
  std::unique_ptr<DeltaDirectory> delta(
      new DeltaDirectory(env, directory, options, std::move(locked)));
  DGFS_CHECK(delta->open_stores());
  if (options.access == StoreAccess::kReadWrite) {
    DGFS_TRY(removed, remove_leftovers(env, directory, delta->manifest_));
    delta->leftovers_ = removed.removed;
    delta->has_unneeded_ = removed.held != 0;
  }
  return delta;
}

std::optional<Time> DeltaDirectory::last_seal() const {
  const std::lock_guard lock(mutex_);
  const auto layers = layers_of(manifest_);
  if (layers != 0) return manifest_.stores[layers - 1].layer.sealed_at;
  return manifest_.base ? std::optional(manifest_.base->sealed_at) : std::nullopt;
}

std::string DeltaDirectory::path_of(const StackedStore& store) const {
  return store_path(directory_, store);
}

Status DeltaDirectory::open_stores() {
  DGFS_TRY(held, HeldBase::hold(env_, directory_, manifest_));
  held_ = std::move(held);
  for (std::size_t index = 0; index < manifest_.stores.size(); ++index) {
    DGFS_TRY(store, open_store(index));
    stores_.push_back(std::move(store));
    if (index + 1 == manifest_.stores.size()) break;
    DGFS_TRY(bytes, bytes_on_disk(env_, path_of(manifest_.stores[index])));
    sealed_bytes_ += bytes;
  }
  return ok();
}

// A crash may have left a layer that was not closed, or not closed to the end.
Result<std::shared_ptr<Store>> DeltaDirectory::open_store(std::size_t index) const {
  const bool is_newest = index + 1 == manifest_.stores.size() && lock_ != nullptr;
  const StackedStore& layer = manifest_.stores[index];
  const auto path = path_of(layer);
  DGFS_TRY(superblock, read_stacked(env_, directory_, manifest_, index));
  auto options =
      options_to_open(options_beside(options_, sealed_bytes_), manifest_.stores.size(), is_newest);
  const bool is_layer = has_states(manifest_) && !is_newest;
  if (is_layer && options_.access == StoreAccess::kReadWrite && lock_ != nullptr) {
    auto closed = superblock.sealed ? Status(ok()) : close_left_layer(layer, options);
    // A reader of the state has it open: a later opening closes it.
    const bool is_read = !closed && closed.error().kind() == ErrorKind::kBusy;
    if (!closed && !is_read) return std::move(closed).error();
    if (!is_read) {
      DGFS_CHECK(complete_layer(env_, path));
    }
  }
  DGFS_TRY(store, Store::open(env_, path, options));
  if (is_layer) {
    if (auto ends = check_end(store->sequence(), layer, path); !ends) {
      return unlike(env_, directory_, manifest_, ends.error());
    }
    if (options_.access == StoreAccess::kReadWrite) vouch_for(env_, path);
  }
  return std::shared_ptr<Store>(std::move(store));
}

Status DeltaDirectory::close_left_layer(const StackedStore& layer, StoreOptions options) const {
  const auto path = path_of(layer);
  options.access = StoreAccess::kReadWrite;
  options.in_background = false;
  options.max_bytes = 0;  // closing makes it shorter
  DGFS_TRY(store, Store::open(env_, path, options));
  DGFS_CHECK(check_end(store->sequence(), layer, path));
  return finish_layer(*store, layer);
}

Status DeltaDirectory::finish_layer(Store& store, const StackedStore& layer) const {
  DGFS_CHECK(store.close());
  return store.make_layer({layer.layer.state, layer.layer.parent});
}

Status check_layer_end(std::uint64_t sequence, const Manifest& manifest, std::size_t index,
                       const std::string& directory) {
  if (index >= layers_of(manifest)) return ok();
  const StackedStore& layer = manifest.stores[index];
  return check_end(sequence, layer, store_path(directory, layer));
}

Result<Manifest> read_present_manifest(storage::Env& env, const std::string& directory) {
  DGFS_TRY(file, env.open(manifest_path(directory)));
  auto manifest = read_manifest(*file);
  // Its owner may be writing one slot after the other.
  for (int attempt = 0; !manifest && attempt < kReadingsMax; ++attempt) {
    if (manifest.error().kind() != ErrorKind::kCorrupt) break;
    DGFS_TRY(again, env.open(manifest_path(directory)));
    manifest = read_manifest(*again);
  }
  return manifest;
}

// Readers lock layers, and not the manifest. Whoever removes a layer changes the manifest and then
// locks the layer; so if the manifest still names the layers once they are locked, they stay.
Result<std::unique_ptr<DeltaDirectory>> DeltaDirectory::open_state(
    storage::Env& env, const std::string& directory,
    const std::function<Result<std::size_t>(const Manifest&)>& find, const StoreOptions& options) {
  StoreOptions to_read = options;
  to_read.access = StoreAccess::kReadOnly;
  int waits = 0;
  for (int attempt = 0;; ++attempt) {
    DGFS_TRY(manifest, read_present_manifest(env, directory));
    DGFS_TRY(layers, find(manifest));
    if (layers == 0 || layers > layers_of(manifest)) {
      return Error(ErrorKind::kInvalidArgument, 7515, "the state is not one of layers")
          .in_file(directory);
    }
    const auto named = manifest.stores;
    const auto base = manifest.base;
    manifest.stores.resize(layers);
    std::unique_ptr<DeltaDirectory> delta(
        new DeltaDirectory(env, directory, to_read, {nullptr, std::move(manifest), {}}));
    auto opened = delta->open_stores();
    DGFS_TRY(now, read_present_manifest(env, directory));
    const bool is_named =
        now.base == base && now.stores.size() >= layers &&
        std::equal(named.begin(), named.begin() + std::ssize(delta->manifest_.stores),
                   now.stores.begin(), [](const StackedStore& one, const StackedStore& other) {
                     return one.number == other.number && one.uuid == other.uuid;
                   });
    if (opened && is_named) return delta;
    if (!opened && is_named) {
      const bool is_closing = opened.error().kind() == ErrorKind::kBusy;
      if (!is_closing || ++waits > kClosingWaitsMax) return std::move(opened).error();
      std::this_thread::sleep_for(kClosingInterval);
      --attempt;
    }
    if (attempt == kReadingsMax) {
      return Error(ErrorKind::kBusy, 7516, "its layers keep changing").in_file(directory);
    }
  }
}

Status DeltaDirectory::start() {
  for (const auto& store : stores()) {
    DGFS_CHECK(store->start());
  }
  return ok();
}

}  // namespace dgfs::delta
