// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A walk of all that a store has on disk: what it is made of, and whether it keeps all rules.
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

/// What a walk found; of its base, in the tree of the last checkpoint. A value.
struct StoreReport : TreeReport {
  Superblock superblock;
  std::uint32_t version = 0;           ///< of the format
  unsigned whole_superblocks = 0;      ///< of two
  unsigned torn_superblocks = 0;       ///< a checkpoint that was cut short leaves one
  std::uint64_t log_groups = 0;        ///< that the tree has not
  std::uint64_t log_sequence = 0;      ///< of the last batch, in the tree or in the log
  std::uint64_t log_generation = 0;    ///< of the segment that is written to
  std::uint64_t log_used_bytes = 0;    ///< of that segment
  std::uint64_t free_value_bytes = 0;  ///< between large values
  std::vector<StoreFile> files;        ///< those that are there
  std::uint64_t damaged_places = 0;    ///< that the caller was told of
};

/// How far a walk has come. A value.
struct CheckProgress {
  std::uint64_t nodes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t total_bytes = 0;  ///< 0: not known
};

/// How a store is walked. A value.
struct StoreCheckOptions {
  bool reads_runs = true;  ///< false: superblocks, nodes and log alone are read
  /// Nobody can open it for writing meanwhile. Without, the caller knows that nothing changes.
  bool locks = false;
  /// Is told of each place that is damaged, and the walk goes on. Not set: it ends by the first.
  Damage::Sink damaged = {};
  std::function<void(const CheckProgress&)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< set: ends early with kInterrupted
};

/// Reads superblocks, each node, run and group: checksums, order, that slots hold only keys of
/// theirs, that children have the right height, that no two blocks overlap, nor two large values,
/// that the filter lets through what the tree has.
/// Nothing is changed, and nothing but leave to read is needed. Errors: kNotFound, kNotDirectory
/// (no store is there), kCorrupt (it has no whole superblock, or, where nobody is told of damage,
/// the first place of that), kUnsupported, kBusy (it is open for writing), kIo, kPermission,
/// kInterrupted. Cost: what it reads, once; where there is progress to tell, nodes twice.
[[nodiscard]] Result<StoreReport> check_store(storage::Env& env, const std::string& directory,
                                              const StoreCheckOptions& options = {});

}  // namespace dgfs::delta
