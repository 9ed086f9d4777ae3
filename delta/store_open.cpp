// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How a store is made, opened and recovered.
#include <utility>

#include "delta/store.h"
#include "delta/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

constexpr const char* kSuperblocks = "/store";
constexpr const char* kBlocks = "/blocks";

}  // namespace

Result<std::unique_ptr<Store>> Store::open(storage::Env& env, const std::string& directory,
                                           const StoreOptions& options) {
  using Mode = storage::OpenOptions::Mode;
  auto superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  if (!superblocks && superblocks.error().kind() == ErrorKind::kNotFound && options.create) {
    DGFS_CHECK(make(env, directory, options));
    superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  }
  if (!superblocks) return std::move(superblocks).error();
  DGFS_CHECK(superblocks.value()->lock());
  // Whoever made the store may have ended before its names were durable.
  DGFS_CHECK(env.sync_directory(directory));
  DGFS_CHECK(env.sync_directory(storage::parent_path(directory)));
  DGFS_TRY(superblock, read_superblock(*superblocks.value()));
  Files files{std::move(superblocks).value(), nullptr, nullptr};
  DGFS_TRY(log, Log::open(env, directory, superblock.parameters.segment_bytes, superblock.store));
  files.log = std::move(log);
  DGFS_TRY(blocks, env.open(directory + kBlocks, {Mode::kReadWrite}));
  files.blocks = std::move(blocks);
  std::unique_ptr<Store> store(new Store(std::move(files), superblock, options));
  DGFS_CHECK(store->recover());
  if (options.in_background) {
    store->maintenance_ =
        std::make_unique<Maintenance>([raw = store.get()] { return raw->tend(); });
    DGFS_CHECK(store->maintenance_->start());
  }
  return store;
}

// The superblocks are the last to get a name: without them there is no store, and what an attempt
// that was cut short has left is made anew.
Status Store::make(storage::Env& env, const std::string& directory, const StoreOptions& options) {
  if (!env.status(directory)) {
    DGFS_CHECK(env.make_directory(directory, 0777));
  }
  DGFS_CHECK(Log::create(env, directory, options.parameters.segment_bytes));
  const auto blocks_path = directory + kBlocks;
  if (env.status(blocks_path)) {
    DGFS_CHECK(env.remove(blocks_path));
  }
  DGFS_TRY(file, env.open(blocks_path, {storage::OpenOptions::Mode::kCreateNew}));
  BlockFile blocks(std::move(file));
  BlockCache cache(0);
  const StoredNode root = Node::make_empty(0);
  DGFS_CHECK(write_tree(root, blocks, {&blocks, &cache}));
  DGFS_CHECK(blocks.sync());
  DGFS_CHECK(env.sync_directory(directory));
  Superblock superblock;
  env.random(superblock.store);
  superblock.parameters = options.parameters;
  superblock.checkpoint = 1;
  superblock.root = *root->place();
  DGFS_TRY(superblocks, env.create_unnamed(directory));
  DGFS_CHECK(superblocks->truncate(2 * kSuperblockBytes));
  DGFS_CHECK(write_superblock(*superblocks, superblock));
  return env.publish(*superblocks, directory + kSuperblocks);
}

Status Store::recover() {
  DGFS_CHECK(each_block(view_->root, source(),
                        [this](const Place& place) { return blocks_.mark(place); }));
  DGFS_CHECK(log_->replay(superblock_.log, [this](const Run& run, std::uint64_t sequence) {
    if (sequence > superblock_.sequence) {
      table_.apply(run);
      applied_ = durable_ = sequence;
    }
    return Status(ok());
  }));
  log_bytes_ = log_->used_bytes();
  // Reads may have seen a superblock that is not on the disk: its sync failed, or who wrote it
  // ended before. What is free by it may be in use by the one before. It is written anew, since a
  // sync alone writes nothing after one that failed.
  DGFS_CHECK(write_superblock(*superblocks_, superblock_));
  DGFS_CHECK(superblocks_->sync());
  return table_.empty() ? Status(ok()) : checkpoint();
}

}  // namespace dgfs::delta
