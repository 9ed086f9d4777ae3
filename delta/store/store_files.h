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

/// Of a store that is open in this process alone.
struct StoreFiles {
  std::unique_ptr<storage::File> superblocks;  ///< locked
  Superblock superblock;                       ///< the newest
  std::unique_ptr<Log> log;
  std::unique_ptr<storage::File> blocks;
  std::unique_ptr<storage::File> extents;
};

/// Opens them; makes them where there is no store, if `options` says so. Of two that make one at
/// the same time one does. Errors: kNotFound (no store, and none is to be made), kBusy (it is open
/// already, or being made), kIo, kNoSpace, kCorrupt, kUnsupported.
[[nodiscard]] Result<StoreFiles> open_store_files(storage::Env& env, const std::string& directory,
                                                  const StoreOptions& options);

}  // namespace dgfs::delta
