// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/store_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "delta/store/private_mode.h"
#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

using File = std::unique_ptr<storage::File>;
using Mode = storage::OpenOptions::Mode;

constexpr const char* kSuperblocks = "/store";
constexpr const char* kBlocks = "/blocks";
constexpr const char* kExtents = "/extents";
constexpr const char* kMaking = "/lock";
constexpr std::array kSegments = {"/log.0", "/log.1"};
constexpr const char* kDraft = "/draft";
// In the order in which they are removed: what is left of a draft is still one.
constexpr std::array kAll = {kSuperblocks, kSegments[0], kSegments[1], kBlocks,
                             kExtents,     kMaking,      kDraft};
// More processes than this do not take back a delta one after the other by chance.
constexpr int kLocksMax = 100;

Result<File> make_empty(storage::Env& env, const std::string& path) {
  if (env.status(path)) {
    DGFS_CHECK(env.remove(path));
  }
  return create_private(env, path);
}

// The superblocks get a name last: without them there is no store, and the next call replaces what
// an interrupted one has left.
Status make(storage::Env& env, const std::string& directory, const StoreOptions& options) {
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
  superblock.sequence = options.sequence;
  superblock.root = *root->place();
  DGFS_TRY(superblocks, env.create_unnamed(directory));
  DGFS_TRY(identity, identity_beside(env, directory, *superblocks));
  superblock.identity = identity;
  // Space for both superblocks, so that no checkpoint has to find any.
  DGFS_CHECK(superblocks->write_at(0, Buffer(2 * kSuperblockBytes)));
  DGFS_CHECK(write_superblock(*superblocks, superblock));
  return env.publish(*superblocks, directory + kSuperblocks, kPrivateFile);
}

Status make_if_none(storage::Env& env, const std::string& directory, const StoreOptions& options) {
  auto made = env.make_directory(directory, kPrivateDirectory);
  if (!made && made.error().kind() != ErrorKind::kExists) return made;
  auto lock = lock_for_making(env, directory);  // held until it is made
  if (!lock) return std::move(lock).error();
  // Another process may have made a store since this one looked, and may be using it.
  const auto found = env.status(directory + kSuperblocks);
  if (!found && found.error().kind() == ErrorKind::kNotFound) return make(env, directory, options);
  return found ? ok() : Status(found.error());
}

Result<File> open_to_write(storage::Env& env, const std::string& directory,
                           const StoreOptions& options) {
  auto superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  if (!superblocks && superblocks.error().kind() == ErrorKind::kNotFound && options.create) {
    DGFS_CHECK(make_if_none(env, directory, options));
    superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  }
  if (!superblocks) return std::move(superblocks).error();
  DGFS_CHECK(superblocks.value()->lock());
  // The process that made the store may have ended before the names were durable.
  DGFS_CHECK(env.sync_directory(directory));
  DGFS_CHECK(env.sync_directory(storage::parent_path(directory)));
  return superblocks;
}

Result<File> open_to_read(storage::Env& env, const std::string& directory) {
  DGFS_TRY(superblocks, env.open(directory + kSuperblocks, {Mode::kRead}));
  DGFS_CHECK(superblocks->lock_shared());
  return superblocks;
}

Result<File> open_making(storage::Env& env, const std::string& path) {
  auto file = env.open(path, {Mode::kReadWrite});
  if (!file && file.error().kind() == ErrorKind::kNotFound) {
    file = create_private(env, path);
    if (!file && file.error().kind() == ErrorKind::kExists) {
      file = env.open(path, {Mode::kReadWrite});
    }
  }
  return file;
}

}  // namespace

// The file goes with a delta that is taken back. Then a lock of it counts no more: another process
// may have one on a new file of this name.
Result<File> lock_for_making(storage::Env& env, const std::string& directory) {
  const auto path = directory + kMaking;
  for (int attempt = 0; attempt < kLocksMax; ++attempt) {
    DGFS_TRY(file, open_making(env, path));
    DGFS_CHECK(file->lock());
    DGFS_TRY(is_current, has_name(env, *file, path));
    if (is_current) return std::move(file);
  }
  return Error(ErrorKind::kBusy, 7421, "other processes make and remove it").in_file(directory);
}

Result<bool> has_name(storage::Env& env, const storage::File& file, const std::string& path) {
  DGFS_TRY(own, file.status());
  const auto named = env.status(path);
  if (!named && named.error().kind() == ErrorKind::kNotFound) return false;
  if (!named) return named.error();
  return own.device == named.value().device && own.inode == named.value().inode;
}

Result<Superblock> make_store(storage::Env& env, const std::string& directory,
                              const StoreOptions& options) {
  auto made = env.make_directory(directory, kPrivateDirectory);
  if (!made && made.error().kind() != ErrorKind::kExists) return std::move(made).error();
  const auto lock = lock_for_making(env, directory);  // held until it is made
  if (!lock) return lock.error();
  if (env.status(directory + kSuperblocks)) {
    DGFS_CHECK(env.remove(directory + kSuperblocks));
  }
  DGFS_CHECK(make(env, directory, options));
  DGFS_CHECK(env.sync_directory(storage::parent_path(directory)));
  return read_store_superblock(env, directory);
}

Result<Superblock> read_store_superblock(storage::Env& env, const std::string& directory) {
  DGFS_TRY(superblocks, env.open(directory + kSuperblocks));
  return read_superblock(*superblocks);
}

std::vector<storage::File*> StoreFiles::all() const {
  if (log == nullptr) return {superblocks.get(), blocks.get(), extents.get()};
  const auto segments = log->files();
  return {superblocks.get(), segments[0], segments[1], blocks.get(), extents.get()};
}

Result<StoreFiles> open_store_files(storage::Env& env, const std::string& directory,
                                    const StoreOptions& options) {
  const bool only_reads = options.access == StoreAccess::kReadOnly;
  const auto mode = only_reads ? Mode::kRead : Mode::kReadWrite;
  auto superblocks =
      only_reads ? open_to_read(env, directory) : open_to_write(env, directory, options);
  if (!superblocks) return std::move(superblocks).error();
  DGFS_TRY(superblock, read_superblock(*superblocks.value()));
  if (superblock.sealed && !only_reads) {
    return Error(ErrorKind::kPermission, 7510, "the store is sealed: it can only be read")
        .in_file(directory);
  }
  std::unique_ptr<Log> log;
  if (!superblock.sealed) {
    DGFS_TRY(opened, Log::open(env, directory, superblock.parameters.segment_bytes,
                               superblock.store, mode));
    log = std::move(opened);
  }
  DGFS_TRY(blocks, env.open(directory + kBlocks, {mode}));
  const bool is_direct = only_reads && options.values_past_page_cache;
  DGFS_TRY(extents, env.open(directory + kExtents,
                             {.mode = mode, .direct = is_direct, .direct_writes = !is_direct}));
  StoreFiles files{std::move(superblocks).value(), superblock, std::move(log), std::move(blocks),
                   std::move(extents)};
  files.identity = store_identity(files.all());
  const auto origin = origin_of(env, directory, superblock, files.identity);
  if (!origin && options.accepts_torn_copy && origin.error().kind() == ErrorKind::kChanged) {
    files.origin = Origin::kUnproven;
    return files;
  }
  if (!origin) return origin.error();
  files.origin = origin.value();
  return files;
}

Result<bool> is_blank_segment(storage::Env& env, const std::string& segment) {
  const auto file = env.open(segment);
  if (!file && file.error().kind() == ErrorKind::kNotFound) return true;
  if (!file) return file.error();
  Buffer begin(kGroupAlignmentBytes);
  DGFS_TRY(count, file.value()->read_at(0, begin));
  return std::all_of(begin.begin(), begin.begin() + static_cast<std::ptrdiff_t>(count),
                     [](std::uint8_t byte) { return byte == 0; });
}

bool is_hidden_rest(std::string_view name) {
  return name.starts_with(".") && name.ends_with(".tmp");
}

bool has_log(storage::Env& env, const std::string& directory) {
  return std::any_of(kSegments.begin(), kSegments.end(),
                     [&](const char* name) { return env.status(directory + name).has_value(); });
}

Status drop_log(storage::Env& env, const std::string& directory) {
  bool is_any = false;
  for (const char* name : kSegments) {
    auto removed = env.remove(directory + name);
    if (!removed && removed.error().kind() != ErrorKind::kNotFound) return removed;
    is_any = is_any || removed.has_value();
  }
  return is_any ? env.sync_directory(directory) : ok();
}

Status complete_layer(storage::Env& env, const std::string& directory) {
  bool has_log = false;
  for (const char* name : kSegments) {
    const auto status = env.status(directory + name);
    if (!status && status.error().kind() != ErrorKind::kNotFound) return status.error();
    has_log = has_log || status;
  }
  if (!has_log) return ok();
  DGFS_TRY(superblocks, env.open(directory + kSuperblocks, {Mode::kReadWrite}));
  DGFS_CHECK(superblocks->lock());
  DGFS_TRY(superblock, read_superblock(*superblocks));
  // The one that was read may not be on the disk, and the other one may not be marked.
  for (int slots = 0; slots < 2; ++slots) {
    DGFS_CHECK(write_superblock(*superblocks, superblock));
    DGFS_CHECK(superblocks->sync());
    ++superblock.checkpoint;
  }
  return drop_log(env, directory);
}

namespace {

// Unless somebody has put other files there.
Result<bool> remove_files(storage::Env& env, const std::string& directory) {
  DGFS_TRY(files, env.open_directory(directory));
  DGFS_TRY(names, files->list());
  for (const std::string& name : names) {
    const auto path = "/" + name;
    const bool is_ours = std::find(kAll.begin(), kAll.end(), path) != kAll.end();
    if (!is_ours && !is_hidden_rest(name)) return false;
  }
  // The superblocks first: without them there is no store.
  for (const char* name : kAll) {
    auto removed = env.remove(directory + name);
    if (!removed && removed.error().kind() != ErrorKind::kNotFound) return removed.error();
  }
  for (const std::string& name : names) {
    if (!is_hidden_rest(name)) continue;
    DGFS_CHECK(env.remove(directory + "/" + name));
  }
  DGFS_CHECK(env.remove(directory));
  return true;
}

}  // namespace

Result<bool> remove_layer(storage::Env& env, const std::string& directory) {
  auto superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  if (superblocks) {
    auto locked = superblocks.value()->lock();
    if (!locked && locked.error().kind() == ErrorKind::kBusy) return false;
    DGFS_CHECK(locked);
  } else if (superblocks.error().kind() != ErrorKind::kNotFound) {
    return std::move(superblocks).error();
  }
  return remove_files(env, directory);
}

Result<bool> remove_unused_store(storage::Env& env, const std::string& directory) {
  auto superblocks = env.open(directory + kSuperblocks, {Mode::kReadWrite});
  if (superblocks) {
    auto locked = superblocks.value()->lock();
    if (!locked && locked.error().kind() == ErrorKind::kBusy) return false;
    DGFS_CHECK(locked);
    const auto superblock = read_superblock(*superblocks.value());
    // The first checkpoint is that of the making.
    if (!superblock || superblock.value().sealed || superblock.value().checkpoint != 1) {
      return false;
    }
  } else if (superblocks.error().kind() != ErrorKind::kNotFound) {
    return std::move(superblocks).error();
  }
  for (const char* name : kSegments) {
    DGFS_TRY(is_empty, is_blank_segment(env, directory + name));
    if (!is_empty) return false;
  }
  return remove_files(env, directory);
}

Status mark_draft(storage::Env& env, const std::string& directory) {
  auto made = env.make_directory(directory, kPrivateDirectory);
  if (!made && made.error().kind() != ErrorKind::kExists) return made;
  DGFS_CHECK(make_empty(env, directory + kDraft));
  return ok();
}

bool is_draft(storage::Env& env, const std::string& directory) {
  return env.status(directory + kDraft).has_value();
}

void unmark_draft(storage::Env& env, const std::string& directory) {
  static_cast<void>(env.remove(directory + kDraft));
}

Result<std::uint64_t> bytes_on_disk(storage::Env& env, const std::string& directory) {
  DGFS_TRY(files, env.open_directory(directory));
  DGFS_TRY(names, files->list());
  std::uint64_t bytes = 0;
  for (const std::string& name : names) {
    const auto status = env.status(directory + "/" + name);
    if (status) bytes += status.value().allocated_bytes;
    // A store that becomes a layer loses files.
    if (!status && status.error().kind() != ErrorKind::kNotFound) return status.error();
  }
  return bytes;
}

}  // namespace dgfs::delta
