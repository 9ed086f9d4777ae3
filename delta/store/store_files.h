// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes, locks and opens the files of a store.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "delta/store/copied_store.h"
#include "delta/store/log/log.h"
#include "delta/store/log/superblock.h"
#include "delta/store/store_options.h"
#include "storage/env.h"

namespace dgfs::delta {

/// The open files of a store, which no other process has open for writing.
struct StoreFiles {
  std::unique_ptr<storage::File> superblocks;  ///< locked
  Superblock superblock;                       ///< the newest
  std::unique_ptr<Log> log;                    ///< null: the store is sealed, and has none
  std::unique_ptr<storage::File> blocks;
  std::unique_ptr<storage::File> extents;
  std::uint64_t identity = 0;    ///< store_identity()
  Origin origin = Origin::kOwn;  ///< kUnproven also for a torn copy that `options` accept

  /// In the order of store_identity().
  [[nodiscard]] std::vector<storage::File*> all() const;
};

/// Opens the files of a store. Makes them if there is no store and `options` asks for it; if two
/// processes make a store at the same time, one of them succeeds. For reading only nothing is made
/// or synced. Errors: kNotFound (no store, and `options` does not ask to make one), kBusy (already
/// open, in a mode that excludes this one, or being made), kChanged (a torn copy, unless `options`
/// accepts it), kIo, kNoSpace, kCorrupt, kUnsupported, kPermission (the store is sealed, and
/// `options` asks to write).
[[nodiscard]] Result<StoreFiles> open_store_files(storage::Env& env, const std::string& directory,
                                                  const StoreOptions& options);

/// Makes a store, durably. Replaces a store that is there; the caller knows that it is not in use.
/// Errors: kBusy (another process makes it), kIo, kNoSpace.
[[nodiscard]] Result<Superblock> make_store(storage::Env& env, const std::string& directory,
                                            const StoreOptions& options);
/// The newest superblock of a store, read without a lock. Errors: kNotFound, kIo, kCorrupt,
/// kUnsupported.
[[nodiscard]] Result<Superblock> read_store_superblock(storage::Env& env,
                                                       const std::string& directory);
/// Whether a segment of the log never held a group, or is missing: the first group of a segment
/// lies at its begin. Errors: kIo.
[[nodiscard]] Result<bool> is_blank_segment(storage::Env& env, const std::string& path);
/// Whether a name is that of a file that was being named when its process ended
/// (storage::Env::publish).
[[nodiscard]] bool is_hidden_rest(std::string_view name);
/// Whether a store still has its log, as every store does but a layer that is closed.
[[nodiscard]] bool has_log(storage::Env& env, const std::string& directory);
/// Removes the log of a store that is marked as sealed, durably. Does nothing if it is gone.
/// Errors: kIo.
[[nodiscard]] Status drop_log(storage::Env& env, const std::string& directory);
/// Finishes an interrupted closing: marks both superblocks of a layer, and removes its log.
/// Does nothing if there is no log. Errors: kIo, kBusy, kCorrupt.
[[nodiscard]] Status complete_layer(storage::Env& env, const std::string& directory);
/// Removes a store that never held a durable change and that no process uses; leaves any other.
/// Returns whether it is gone. Errors: kIo.
[[nodiscard]] Result<bool> remove_unused_store(storage::Env& env, const std::string& directory);
/// Removes a store that no process uses, and that has no files of the user; leaves any other.
/// Returns whether it is gone. Errors: kIo.
[[nodiscard]] Result<bool> remove_layer(storage::Env& env, const std::string& directory);
/// Notes beside a store that is still to be made that it is a draft: until a manifest names the
/// store, whatever it holds counts for nothing. Makes its directory if there is none. Becomes
/// durable with the store. Errors: kIo, kNoSpace.
[[nodiscard]] Status mark_draft(storage::Env& env, const std::string& directory);
[[nodiscard]] bool is_draft(storage::Env& env, const std::string& directory);
/// Removes the note; an error leaves it, which does no harm once a manifest names the store.
void unmark_draft(storage::Env& env, const std::string& directory);
/// Bytes of the disk that all files of a store take. Errors: kIo.
[[nodiscard]] Result<std::uint64_t> bytes_on_disk(storage::Env& env, const std::string& directory);
/// Whether an open file is the one that has a name now. Errors: those of File::status() and
/// Env::status().
[[nodiscard]] Result<bool> has_name(storage::Env& env, const storage::File& file,
                                    const std::string& path);
/// Locks a directory while its caller makes something in it; closing the file ends the lock.
/// Errors: kBusy, kIo.
[[nodiscard]] Result<std::unique_ptr<storage::File>> lock_for_making(storage::Env& env,
                                                                     const std::string& directory);

}  // namespace dgfs::delta
