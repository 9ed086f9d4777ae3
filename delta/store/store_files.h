// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The files of a store: how they are made, locked and opened.
#pragma once

#include <memory>
#include <string>

#include "delta/store/log/log.h"
#include "delta/store/log/superblock.h"
#include "delta/store/store_options.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Of a store that nobody else has for writing.
struct StoreFiles {
  std::unique_ptr<storage::File> superblocks;  ///< locked
  Superblock superblock;                       ///< the newest
  std::unique_ptr<Log> log;
  std::unique_ptr<storage::File> blocks;
  std::unique_ptr<storage::File> extents;
};

/// Opens them; makes them where there is no store, if `options` says so. Of two that make one at
/// the same time one does. For reading alone nothing is made or synced. Errors: kNotFound (no
/// store, and none is to be made), kBusy (it is open already, for more than reading if that is all
/// that is asked for, or being made), kIo, kNoSpace, kCorrupt, kUnsupported.
[[nodiscard]] Result<StoreFiles> open_store_files(storage::Env& env, const std::string& directory,
                                                  const StoreOptions& options);

/// Makes one, in place of any that is there and that nobody has use for, durably. Errors: kBusy (it
/// is being made), kIo, kNoSpace.
[[nodiscard]] Result<Superblock> make_store(storage::Env& env, const std::string& directory,
                                            const StoreOptions& options);
/// The newest superblock of a store, with no lock. Errors: kNotFound, kIo, kCorrupt, kUnsupported.
[[nodiscard]] Result<Superblock> read_store_superblock(storage::Env& env,
                                                       const std::string& directory);
/// Of the disk, that all files of a store have. Errors: kIo.
[[nodiscard]] Result<std::uint64_t> bytes_on_disk(storage::Env& env, const std::string& directory);
/// The lock of whoever makes something in a directory, until it is closed. Errors: kBusy, kIo.
[[nodiscard]] Result<std::unique_ptr<storage::File>> lock_for_making(storage::Env& env,
                                                                     const std::string& directory);

}  // namespace dgfs::delta
