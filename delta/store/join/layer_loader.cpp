// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/join/layer_loader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "delta/store/copied_store.h"
#include "delta/store/private_mode.h"
#include "delta/store/run/object_key.h"
#include "delta/store/run/run_cuts.h"
#include "delta/store/store_files.h"

namespace dgfs::delta {
namespace {

using LoadedFile = std::unique_ptr<storage::File>;

constexpr const char* kLoadedStore = "/store";
constexpr const char* kLoadedBlocks = "/blocks";
constexpr const char* kLoadedExtents = "/extents";

Result<LoadedFile> make_file(storage::Env& env, const std::string& path) {
  auto removed = env.remove(path);
  if (!removed && removed.error().kind() != ErrorKind::kNotFound) return std::move(removed).error();
  DGFS_CHECK(create_private(env, path));
  // Long values need no second copy in the page cache.
  return env.open(path, {.mode = storage::OpenOptions::Mode::kReadWrite, .direct_writes = true});
}

// Blocks are written once and not read.
StoreOptions options_to_load() {
  StoreOptions options;
  options.memory_bytes = kLeastMemoryBytes;
  options.cache_bytes = 0;
  return divided_memory(options);
}

// One stage for all prefixes, and a multiple of other stages, so that a FilterUnion can take it.
std::uint64_t first_capacity(const LoadRequest& request) {
  return std::bit_ceil(
      std::clamp(request.prefixes_max, PrefixFilter::kFirstCapacity, FilterStage::kCapacityMax));
}

}  // namespace

LayerLoader::LayerLoader(storage::Env& env, std::string directory, const LoadRequest& request,
                         LoadedFile making, LoadedFile blocks, LoadedFile extents)
    : env_(env),
      directory_(std::move(directory)),
      request_(request),
      making_(std::move(making)),
      block_file_(*blocks),
      extent_file_(*extents),
      files_(std::make_unique<TreeFiles>(std::move(blocks), std::move(extents), options_to_load())),
      packer_(request.level),
      writer_(files_->blocks, packer_, request.parameters.page_bytes(), files_->source()),
      filter_(request.parameters.born_object, first_capacity(request)),
      filter_blocks_(files_->blocks, filter_),
      space_blocks_(*files_) {}

Result<std::unique_ptr<LayerLoader>> LayerLoader::begin(storage::Env& env,
                                                        const std::string& directory,
                                                        const LoadRequest& request) {
  auto made = env.make_directory(directory, kPrivateDirectory);
  if (!made && made.error().kind() != ErrorKind::kExists) return std::move(made).error();
  DGFS_TRY(making, lock_for_making(env, directory));
  auto removed = env.remove(directory + kLoadedStore);
  if (!removed && removed.error().kind() != ErrorKind::kNotFound) return std::move(removed).error();
  DGFS_TRY(blocks, make_file(env, directory + kLoadedBlocks));
  DGFS_TRY(extents, make_file(env, directory + kLoadedExtents));
  return std::unique_ptr<LayerLoader>(new LayerLoader(env, directory, request, std::move(making),
                                                      std::move(blocks), std::move(extents)));
}

Status LayerLoader::add(std::string_view key, Message message) {
  DGFS_CHECK(make_room_for(key));
  points_.add(key, std::move(message));
  return ok();
}

Status LayerLoader::add(const Point& point) {
  DGFS_CHECK(make_room_for(point.key));
  points_.add(point);
  return ok();
}

Status LayerLoader::cover(const KeyRange& range) {
  DGFS_CHECK(make_room_for(range.begin));
  tombstones_.add(range);
  return ok();
}

// Writes the basement if it is full and can end before the key.
Status LayerLoader::make_room_for(std::string_view key) {
  if (points_.size_bytes() + tombstones_.size_bytes() < request_.parameters.basement_bytes) {
    return ok();
  }
  auto cut = cut_before(key);
  return cut.empty() ? ok() : write_basement(std::move(cut));
}

// The lowest key of a basement that begins with `key`; empty: the present one has the key already.
// It lies right behind the last range tombstone if that ends before the key; otherwise both
// basements have a part of it.
std::string LayerLoader::cut_before(std::string_view key) const {
  std::string_view last = points_.last_key();
  if (!tombstones_.empty()) {
    const auto& [begin, end] = *std::prev(tombstones_.end());
    last = std::max(last, std::string_view(begin));
    if (end && *end <= key) last = std::max(last, std::string_view(*end));
    if (end && *end == key) return std::string(key);
  }
  return last < key ? separator(last, key) : std::string();
}

Status LayerLoader::write_basement(const KeyEnd& end) {
  if (bind_) {
    DGFS_CHECK(bind_());
  }
  const auto born_object = request_.parameters.born_object;
  const RunRef run = std::exchange(points_, RunBuilder())
                         .take(over_older_objects(tombstones_.clipped({low_, end}), born_object));
  tombstones_ = end ? tombstones_.clipped({*end, std::nullopt}) : RangeTombstones();
  // A stretch without messages belongs to the next basement.
  if (run->empty()) return ok();
  filter_.add(*run);
  Slot slot;
  slot.low = low_;
  slot.basement = make_run(run);
  DGFS_CHECK(writer_.write_run(slot.basement));
  for (const Message& message : run->boxed()) {
    visit_large(message, [](const LargeRef& large) { large->give_to_tree(); });
  }
  if (end) low_ = *end;
  return add_slot(0, std::move(slot));
}

Status LayerLoader::add_slot(std::size_t height, Slot slot) {
  if (levels_.size() == height) levels_.emplace_back();
  levels_[height].push_back(std::move(slot));
  const auto full = std::max<std::uint64_t>(request_.parameters.fanout, 2);
  return levels_[height].size() < full ? ok() : write_node(height);
}

Status LayerLoader::write_node(std::size_t height) {
  Slot above;
  auto slots = std::exchange(levels_[height], {});
  above.low = slots.front().low;
  above.child = make_node(static_cast<unsigned>(height), std::move(slots));
  DGFS_CHECK(writer_.write(above.child));
  return add_slot(height + 1, std::move(above));
}

// A node with a single child is not needed.
Result<Place> LayerLoader::write_root() {
  for (std::size_t height = 0; height < levels_.size(); ++height) {
    const bool is_highest = height + 1 == levels_.size();
    if (!is_highest) {
      if (levels_[height].empty()) continue;
      DGFS_CHECK(write_node(height));
      continue;
    }
    if (height > 0 && levels_[height].size() == 1) return *levels_[height].front().child->place();
    const auto root = make_node(static_cast<unsigned>(height), std::move(levels_[height]));
    DGFS_CHECK(writer_.write(root));
    return *root->place();
  }
  const auto root = Node::make_empty(0);
  DGFS_CHECK(writer_.write(root));
  return *root->place();
}

Result<LoadedStore> LayerLoader::finish() {
  DGFS_CHECK(write_basement(std::nullopt));
  Superblock superblock;
  DGFS_TRY(root, write_root());
  DGFS_CHECK(filter_blocks_.write());
  space_blocks_.write({});
  for (BlockFile* file : {&files_->values.file(), &files_->blocks}) {
    DGFS_CHECK(file->trim());
    DGFS_CHECK(file->sync());
  }
  env_.random(superblock.store);
  superblock.parameters = request_.parameters;
  superblock.sequence = request_.sequence;
  superblock.log.is_end = true;
  superblock.root = root;
  superblock.filter = filter_blocks_.place();
  superblock.space = space_blocks_.maps();
  superblock.sealed = request_.mark;
  superblock.closed_at = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(env_.now().seconds + 1, 1, std::int64_t{kClosedAtMax}));
  LoadedStore loaded;
  loaded.uuid = superblock.store;
  loaded.block_bytes = files_->blocks.written_bytes();
  loaded.value_bytes = files_->values.file().written_bytes();
  DGFS_CHECK(publish(superblock));
  return loaded;
}

// The superblocks get a name last: without them there is no store. Both are the same but for their
// number, so that damage of one does no harm.
Status LayerLoader::publish(Superblock superblock) {
  DGFS_CHECK(env_.sync_directory(directory_));
  DGFS_TRY(superblocks, env_.create_unnamed(directory_));
  const std::array<storage::File*, 3> files{superblocks.get(), &block_file_, &extent_file_};
  superblock.identity = store_identity(files);
  for (int slots = 0; slots < 2; ++slots) {
    ++superblock.checkpoint;
    DGFS_CHECK(write_superblock(*superblocks, superblock));
  }
  files_ = nullptr;  // nothing is written to them any more
  DGFS_CHECK(env_.publish(*superblocks, directory_ + kLoadedStore, kPrivateFile));
  note_closed(env_, directory_, superblock.closed_at);
  return env_.sync_directory(storage::parent_path(directory_));
}

}  // namespace dgfs::delta
