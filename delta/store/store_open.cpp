// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How a store is made, opened and recovered.
#include <utility>

#include "delta/store/run/run_builder.h"
#include "delta/store/store.h"
#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

constexpr const char* kSuperblocks = "/store";
constexpr const char* kBlocks = "/blocks";
constexpr const char* kExtents = "/extents";
constexpr const char* kMaking = "/lock";

// Whoever makes a store has it. It stays where it is for good: of a file that is removed, two
// might have a lock each.
Result<std::unique_ptr<storage::File>> lock_for_making(storage::Env& env,
                                                       const std::string& directory) {
  using Mode = storage::OpenOptions::Mode;
  const auto path = directory + kMaking;
  auto file = env.open(path, {Mode::kReadWrite});
  if (!file && file.error().kind() == ErrorKind::kNotFound) {
    file = env.open(path, {Mode::kCreateNew});
    if (!file && file.error().kind() == ErrorKind::kExists) {
      file = env.open(path, {Mode::kReadWrite});
    }
  }
  if (file) {
    DGFS_CHECK(file.value()->lock());
  }
  return file;
}

Result<std::unique_ptr<storage::File>> make_empty(storage::Env& env, const std::string& path) {
  if (env.status(path)) {
    DGFS_CHECK(env.remove(path));
  }
  return env.open(path, {storage::OpenOptions::Mode::kCreateNew});
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(storage::Env& env, const std::string& directory,
                                           const StoreOptions& options) {
  using Mode = storage::OpenOptions::Mode;
  auto superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  if (!superblocks && superblocks.error().kind() == ErrorKind::kNotFound && options.create) {
    DGFS_CHECK(make_if_none(env, directory, options));
    superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  }
  if (!superblocks) return std::move(superblocks).error();
  DGFS_CHECK(superblocks.value()->lock());
  // Whoever made the store may have ended before its names were durable.
  DGFS_CHECK(env.sync_directory(directory));
  DGFS_CHECK(env.sync_directory(storage::parent_path(directory)));
  DGFS_TRY(superblock, read_superblock(*superblocks.value()));
  Files files{std::move(superblocks).value(), nullptr, nullptr, nullptr};
  DGFS_TRY(log, Log::open(env, directory, superblock.parameters.segment_bytes, superblock.store));
  files.log = std::move(log);
  DGFS_TRY(blocks, env.open(directory + kBlocks, {Mode::kReadWrite}));
  files.blocks = std::move(blocks);
  DGFS_TRY(extents, env.open(directory + kExtents, {Mode::kReadWrite}));
  files.extents = std::move(extents);
  std::unique_ptr<Store> store(new Store(env, std::move(files), superblock, options));
  DGFS_CHECK(store->recover());
  if (options.in_background) {
    DGFS_CHECK(store->start_workers());
  }
  return store;
}

Status Store::make_if_none(storage::Env& env, const std::string& directory,
                           const StoreOptions& options) {
  auto made = env.make_directory(directory, 0777);
  if (!made && made.error().kind() != ErrorKind::kExists) return made;
  auto lock = lock_for_making(env, directory);  // held until it is made
  if (!lock) return std::move(lock).error();
  // Somebody may have made one, and use it, since it was looked for.
  const auto found = env.status(directory + kSuperblocks);
  if (!found && found.error().kind() == ErrorKind::kNotFound) return make(env, directory, options);
  return found ? ok() : Status(found.error());
}

// The superblocks are the last to get a name: without them there is no store, and what an attempt
// that was cut short has left is made anew.
Status Store::make(storage::Env& env, const std::string& directory, const StoreOptions& options) {
  DGFS_CHECK(Log::create(env, directory, options.parameters.segment_bytes));
  DGFS_TRY(extents, make_empty(env, directory + kExtents));
  DGFS_CHECK(extents->sync());
  DGFS_TRY(file, make_empty(env, directory + kBlocks));
  BlockFile blocks(std::move(file));
  BlockCache cache(0);
  const StoredNode root = Node::make_empty(0);
  BlockPacker packer(0);
  DGFS_CHECK(TreeWriter(blocks, packer, options.parameters.page_bytes(), {&blocks, &cache, nullptr})
                 .write(root));
  DGFS_CHECK(blocks.sync());
  DGFS_CHECK(env.sync_directory(directory));
  Superblock superblock;
  env.random(superblock.store);
  superblock.parameters = options.parameters;
  superblock.checkpoint = 1;
  superblock.root = *root->place();
  DGFS_TRY(superblocks, env.create_unnamed(directory));
  // Both, so that no checkpoint has to find space for its own.
  DGFS_CHECK(superblocks->write_at(0, Buffer(2 * kSuperblockBytes)));
  DGFS_CHECK(write_superblock(*superblocks, superblock));
  return env.publish(*superblocks, directory + kSuperblocks);
}

Status Store::recover() {
  DGFS_CHECK(mark_used_space());
  DGFS_CHECK(log_->replay(superblock_.log, [this](const Run& run, std::uint64_t sequence) {
    if (sequence <= superblock_.sequence) return Status(ok());
    applied_ = durable_ = sequence;
    return replay(run);
  }));
  log_bytes_ = log_->used_bytes();
  // Reads may have seen a superblock that is not on the disk: its sync failed, or who wrote it
  // ended before. What is free by it may be in use by the one before. It is written anew, since a
  // sync alone writes nothing after one that failed.
  DGFS_CHECK(write_superblock(*superblocks_, superblock_));
  DGFS_CHECK(superblocks_->sync());
  const bool has_two_segments = log_->segment_begin().generation != superblock_.log.generation;
  if (has_two_segments || applied_ > superblock_.sequence) {
    DGFS_CHECK(checkpoint());
  }
  // The first has not changed the segment, as the other was needed: its last group may not be on
  // the disk, and nothing may be logged behind it.
  if (has_two_segments) return checkpoint();
  DGFS_CHECK(keep_reserve(*view_->root));
  return ok();
}

Status Store::mark_used_space() {
  return each_extent(view_->root, source(), [this](SpaceKind kind, const Extent& extent) {
    return kind == SpaceKind::kBlock ? blocks_.mark(extent) : extents_.file().mark(extent);
  });
}

// Two passes: here the large values of each group are found to be in use, and nothing is written;
// what the groups come to goes into the tree when all have been read.
Status Store::replay(const Run& run) {
  RunBuilder points;
  for (const Point point : run.points()) {
    if (point.boxed == nullptr || !point.boxed->large) {
      points.add(point);
      continue;
    }
    const Place place = *point.boxed->large->place();
    DGFS_CHECK(extents_.file().mark(place.extent()));
    Message message = *point.boxed;
    message.large = std::make_shared<const LargeValue>(place, extents_);
    points.add(point.key, std::move(message));
  }
  add_table(std::make_shared<const FrozenTable>(points.take(run.fragments())));
  join_tables();
  return ok();
}

}  // namespace dgfs::delta
