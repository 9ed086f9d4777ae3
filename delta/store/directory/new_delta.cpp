// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/new_delta.h"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include "delta/store/store_files.h"
#include "storage/file_mode.h"
#include "storage/names.h"

namespace dgfs::delta {
namespace {

constexpr const char* kFirstStore = "0001";
// Longer than the only block of a new store.
constexpr std::uint64_t kFirstBlockBytesMax = 4096;
// In the order in which a store is removed: without superblocks there is none.
constexpr std::array<std::string_view, 6> kStoreNames = {"store",  "log.0",   "log.1",
                                                         "blocks", "extents", "lock"};

// The socket of a mount that has ended: its name stays.
bool is_socket(std::string_view name) { return name == "control"; }

Result<std::vector<std::string>> names_in(storage::Env& env, const std::string& path) {
  DGFS_TRY(directory, env.open_directory(path));
  return directory->list();
}

Result<bool> is_empty_file(storage::Env& env, const std::string& path, std::uint64_t bytes_max) {
  const auto status = env.status(path);
  if (!status && status.error().kind() == ErrorKind::kNotFound) return true;
  if (!status) return status.error();
  return status.value().size_bytes <= bytes_max;
}

// Without superblocks nothing but the first block was ever written.
Result<bool> is_without_checkpoint(storage::Env& env, const std::string& store) {
  const auto superblock = read_store_superblock(env, store);
  if (superblock) return superblock.value().checkpoint == 1 && superblock.value().sequence == 0;
  if (superblock.error().kind() != ErrorKind::kNotFound) return false;
  return is_empty_file(env, store + "/blocks", kFirstBlockBytesMax);
}

// Whether a store has never held a change. True if there is none.
Result<bool> is_untouched(storage::Env& env, const std::string& store) {
  const auto names = names_in(env, store);
  if (!names && names.error().kind() == ErrorKind::kNotFound) return true;
  if (!names && names.error().kind() == ErrorKind::kNotDirectory) return false;
  if (!names) return names.error();
  for (const std::string& name : names.value()) {
    const bool is_known =
        std::find(kStoreNames.begin(), kStoreNames.end(), name) != kStoreNames.end();
    if (!is_known && !is_hidden_rest(name)) return false;
  }
  DGFS_TRY(has_no_values, is_empty_file(env, store + "/extents", 0));
  DGFS_TRY(is_log_empty, is_blank_segment(env, store + "/log.0"));
  DGFS_TRY(is_next_empty, is_blank_segment(env, store + "/log.1"));
  DGFS_TRY(is_new, is_without_checkpoint(env, store));
  return has_no_values && is_log_empty && is_next_empty && is_new;
}

Status remove_if_there(storage::Env& env, const std::string& path) {
  auto removed = env.remove(path);
  if (!removed && removed.error().kind() == ErrorKind::kNotFound) return ok();
  return removed;
}

Status remove_store(storage::Env& env, const std::string& store) {
  for (const std::string_view name : kStoreNames) {
    DGFS_CHECK(remove_if_there(env, store + "/" + std::string(name)));
  }
  const auto names = names_in(env, store);
  if (names) {
    for (const std::string& name : names.value()) {
      if (!is_hidden_rest(name)) continue;
      DGFS_CHECK(remove_if_there(env, store + "/" + name));
    }
  }
  return remove_if_there(env, store);
}

}  // namespace

Result<bool> is_vacant(storage::Env& env, const std::string& directory) {
  const auto names = names_in(env, directory);
  if (!names && names.error().kind() == ErrorKind::kNotFound) return true;
  if (!names) return names.error();
  for (const std::string& name : names.value()) {
    const bool may_be_left = name == "lock" || is_socket(name) || is_hidden_rest(name);
    if (name != kFirstStore && !may_be_left) return false;
  }
  return is_untouched(env, directory + "/" + kFirstStore);
}

Result<std::optional<NewDelta>> NewDelta::make_if_vacant(storage::Env& env, const std::string& path,
                                                         const format::Uuid& image,
                                                         std::uint64_t born_object,
                                                         const StoreOptions& options) {
  DGFS_TRY(has_room, is_vacant(env, path));
  if (!has_room) return std::optional<NewDelta>();
  std::optional<std::uint32_t> mode;
  if (const auto status = env.status(path)) {
    mode = status.value().mode & storage::kPermissionMask;
  }
  std::optional<NewDelta> made(NewDelta(env, path, mode));
  auto created = DeltaDirectory::create(env, path, image, born_object, options);
  if (created) return made;
  const auto kind = created.error().kind();
  if (kind == ErrorKind::kExists || kind == ErrorKind::kBusy) made->keep();  // it is another's
  return std::move(created).error();
}

NewDelta::~NewDelta() {
  if (is_kept_) return;
  try {
    static_cast<void>(remove());
  } catch (const std::bad_alloc&) {  // it stays: the next mount uses it
  }
}

// The locks keep other processes from making and from opening a delta here. A process that opened
// one of the files before finds, with the lock, that the name is gone.
Status NewDelta::remove() const {
  const auto store = path_ + "/" + kFirstStore;
  if (!env_->status(path_)) return ok();
  const auto making = lock_for_making(*env_, path_);
  if (!making) {
    // Without space for the lock there is nothing else, either.
    if (!mode_) static_cast<void>(env_->remove(path_));
    return making.error();
  }
  const auto manifest = env_->open(path_ + "/MANIFEST", {storage::OpenOptions::Mode::kReadWrite});
  if (manifest) {
    DGFS_CHECK(manifest.value()->lock());
  }
  DGFS_TRY(is_unused, is_untouched(*env_, store));
  if (!is_unused) return ok();
  DGFS_CHECK(remove_if_there(*env_, path_ + "/MANIFEST"));
  DGFS_CHECK(remove_store(*env_, store));
  DGFS_TRY(names, names_in(*env_, path_));
  for (const std::string& name : names) {
    if (!is_hidden_rest(name) && !is_socket(name)) continue;
    DGFS_CHECK(remove_if_there(*env_, path_ + "/" + name));
  }
  DGFS_CHECK(remove_if_there(*env_, path_ + "/lock"));
  if (!mode_) return env_->remove(path_);
  DGFS_TRY(directory, env_->open_directory(path_));
  return directory->set_mode("", *mode_);
}

}  // namespace dgfs::delta
