// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/delta_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "delta/store/private_mode.h"
#include "delta/store/store_files.h"

namespace dgfs::delta {
namespace {

using storage::OpenOptions;

std::string manifest_path(const std::string& directory) { return directory + "/MANIFEST"; }

std::string store_path(const std::string& directory, const StackedStore& store) {
  return directory + "/" + store.name();
}

StoreOptions options_to_make(StoreOptions options, const StackedStore& store) {
  options.parameters.born_object = store.born_object;
  options.sequence = store.first_sequence - 1;
  return options;
}

// Replaces what an interrupted attempt has left.
Status make_stacked(storage::Env& env, const std::string& directory, StackedStore& store,
                    const StoreOptions& options) {
  DGFS_TRY(superblock,
           make_store(env, store_path(directory, store), options_to_make(options, store)));
  store.uuid = superblock.store;
  return ok();
}

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

// The stores of a stack share the memory: the newest gets half of it, or all if it is alone. If the
// caches of sealed stores are in a pool, only the pool bounds them.
StoreOptions options_to_open(StoreOptions options, std::size_t stores, bool is_newest) {
  options.create = false;
  if (!is_newest) options.access = StoreAccess::kReadOnly;
  const bool is_divided = stores > 1 && (is_newest || !options.pool);
  if (is_divided) options.memory_bytes /= is_newest ? 2 : 2 * (stores - 1);
  return options;
}

// The cap holds for all stores together. 0 would be no cap.
StoreOptions options_beside(StoreOptions options, std::uint64_t sealed_bytes) {
  if (options.max_bytes != 0) {
    options.max_bytes =
        std::max<std::uint64_t>(options.max_bytes - std::min(options.max_bytes, sealed_bytes), 1);
  }
  return options;
}

Result<std::unique_ptr<Store>> open_stacked(storage::Env& env, const std::string& directory,
                                            const Manifest& manifest, std::size_t index,
                                            const StoreOptions& options) {
  const bool is_newest = index + 1 == manifest.stores.size();
  const auto path = store_path(directory, manifest.stores[index]);
  auto superblock = read_store_superblock(env, path);
  if (!superblock && superblock.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kCorrupt, 7142, "the manifest names a store that is missing")
        .in_file(path);
  }
  if (!superblock) return std::move(superblock).error();
  DGFS_CHECK(check_stacked(superblock.value(), manifest, index, directory));
  return Store::open(env, path, options_to_open(options, manifest.stores.size(), is_newest));
}

// The slot that was read may not be on the disk, so it is written again and synced. If the other
// slot has the old stack, a change of the stack was interrupted between the two slots.
Status heal(storage::File& file, Manifest& manifest) {
  DGFS_CHECK(write_manifest(file, manifest));
  Buffer other(kManifestSlotBytes);
  DGFS_TRY(count,
           file.read_at((manifest.generation + 1) % 2 * kManifestSlotBytes, MutableBytes(other)));
  other.resize(count);
  const auto found = decode_manifest(other);
  if (found && found.value().says_the_same(manifest)) return ok();
  ++manifest.generation;
  return write_manifest(file, manifest);
}

}  // namespace

Result<LockedManifest> lock_manifest(storage::Env& env, const std::string& directory,
                                     StoreAccess access) {
  const bool only_reads = access == StoreAccess::kReadOnly;
  DGFS_TRY(file, env.open(manifest_path(directory),
                          {only_reads ? OpenOptions::Mode::kRead : OpenOptions::Mode::kReadWrite}));
  if (auto taken = only_reads ? file->lock_shared() : file->lock(); !taken) {
    if (taken.error().kind() != ErrorKind::kBusy) return std::move(taken).error();
    return Error(ErrorKind::kBusy, 7150, "the delta is in use by " + storage::holders_text(*file))
        .in_file(directory);
  }
  DGFS_TRY(is_current, has_name(env, *file, manifest_path(directory)));
  if (!is_current) {
    return Error(ErrorKind::kNotFound, 7422, "the delta was removed meanwhile").in_file(directory);
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
  std::unique_ptr<DeltaDirectory> delta(new DeltaDirectory(std::move(locked)));
  for (std::size_t index = 0; index < delta->manifest_.stores.size(); ++index) {
    DGFS_TRY(store, open_stacked(env, directory, delta->manifest_, index,
                                 options_beside(options, delta->sealed_bytes_)));
    delta->stores_.push_back(std::move(store));
    if (index + 1 == delta->manifest_.stores.size()) break;
    const auto path = store_path(directory, delta->manifest_.stores[index]);
    DGFS_TRY(bytes, bytes_on_disk(env, path));
    delta->sealed_bytes_ += bytes;
  }
  return delta;
}

Status DeltaDirectory::start() {
  for (const auto& store : stores_) {
    DGFS_CHECK(store->start());
  }
  return ok();
}

Status DeltaDirectory::add_store(storage::Env& env, const std::string& directory,
                                 std::uint64_t first_object, const StoreOptions& options) {
  StoreOptions to_open = options;
  to_open.access = StoreAccess::kReadWrite;
  to_open.in_background = false;
  DGFS_TRY(locked, lock_manifest(env, directory, to_open.access));
  Manifest& manifest = locked.manifest;
  const std::size_t newest = manifest.stores.size() - 1;
  StackedStore next = manifest.stores[newest];
  if (first_object < next.born_object) {
    return Error(ErrorKind::kInvalidArgument, 7148,
                 fmt::format("objects from {} on are born in the newest store, but from {} on in "
                             "the next one",
                             next.born_object, first_object))
        .in_file(directory);
  }
  if (next.number >= kStoreNumberMax) {
    return Error(ErrorKind::kLimit, 7420,
                 fmt::format("the newest store has number {}, and there is no higher one",
                             next.number))
        .in_file(directory);
  }
  if (manifest.stores.size() == kStoresMax) {
    return Error(ErrorKind::kLimit, 7149, "the stack has the maximum number of stores")
        .in_file(directory);
  }
  {
    DGFS_TRY(store, open_stacked(env, directory, manifest, newest, to_open));
    DGFS_CHECK(store->close());
  }
  DGFS_TRY(closed, read_store_superblock(env, store_path(directory, next)));
  ++next.number;
  next.born_object = first_object;
  next.first_sequence = closed.sequence + 1;
  DGFS_CHECK(make_stacked(env, directory, next, options));
  DGFS_CHECK(env.sync_directory(directory));
  manifest.stores.push_back(next);
  ++manifest.generation;
  return write_both_slots(*locked.file, manifest);
}

}  // namespace dgfs::delta
