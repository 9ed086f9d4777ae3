// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks all that a store has on disk: reads its parts, counts them, and verifies all rules.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/store/log/superblock.h"
#include "delta/store/tree/tree_check.h"
#include "storage/env.h"

namespace dgfs::delta {

/// A file of a store. A value.
struct StoreFile {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::uint64_t allocated_bytes = 0;  ///< on the device
};

/// Result of a check. The numbers of TreeReport are of the tree of the last checkpoint. A value.
struct StoreReport : TreeReport {
  Superblock superblock;
  std::uint32_t version = 0;           ///< of the format
  unsigned whole_superblocks = 0;      ///< of two
  unsigned torn_superblocks = 0;       ///< an interrupted checkpoint leaves one
  std::uint64_t log_groups = 0;        ///< that are not in the tree
  std::uint64_t log_sequence = 0;      ///< of the last batch, in the tree or in the log
  std::uint64_t log_generation = 0;    ///< of the segment that is written to
  std::uint64_t log_used_bytes = 0;    ///< of that segment
  std::uint64_t free_value_bytes = 0;  ///< between large values
  std::vector<StoreFile> files;        ///< those that exist
  std::uint64_t damaged_places = 0;    ///< that were reported to the caller
};

/// How far a check has come. A value.
struct CheckProgress {
  std::uint64_t nodes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t total_bytes = 0;  ///< 0: not known
};

/// How a store is checked. A value.
struct StoreCheckOptions {
  bool reads_runs = true;  ///< false: reads only superblocks, nodes and log
  /// Keeps others from opening the store for writing meanwhile. If false, the caller ensures that
  /// nothing changes.
  bool locks = false;
  /// Checks also a copy that was taken while a process had the store open for writing, instead of
  /// refusing it.
  bool accepts_torn_copy = false;
  /// Gets each damaged place, and the check goes on. Not set: the first damaged place ends it.
  Damage::Sink damaged = {};
  std::function<void(const CheckProgress&)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< set: ends early with kInterrupted
};

/// Reads superblocks, each node, run and group, and checks: checksums, order, that slots hold only
/// their own keys, that children have the right height, that no two blocks and no two large values
/// overlap, and that the filter lets all keys of the tree through.
/// Changes nothing, and needs only permission to read. Errors: kNotFound, kNotDirectory (no store
/// is there), kCorrupt (it has no whole superblock, or the first damaged place if `damaged` is not
/// set), kChanged (a torn copy), kUnsupported, kBusy (open for writing), kIo, kPermission,
/// kInterrupted. Cost: reads everything once; if `progress` is set, nodes twice.
[[nodiscard]] Result<StoreReport> check_store(storage::Env& env, const std::string& directory,
                                              const StoreCheckOptions& options = {});

}  // namespace dgfs::delta
