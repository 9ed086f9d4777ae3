// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A walk of all that a store has on disk, which must not be open.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "delta/disk/superblock.h"
#include "storage/env.h"

namespace dgfs::delta {

/// What a walk found. A value.
struct StoreReport {
  Superblock superblock;
  unsigned height = 0;  ///< of the root
  std::uint64_t nodes = 0;
  std::uint64_t basements = 0;
  std::uint64_t waiting_runs = 0;
  std::uint64_t basement_points = 0;
  std::uint64_t waiting_points = 0;
  std::uint64_t waiting_fragments = 0;
  std::uint64_t large_values = 0;
  std::uint64_t large_bytes = 0;
  std::uint64_t used_bytes = 0;  ///< of blocks, with padding
  std::uint64_t free_bytes = 0;  ///< between them
  std::uint64_t log_groups = 0;  ///< that the tree has not
};

/// Reads each node, run and group: checksums, order, that slots hold only keys of theirs, that
/// children have the right height and that no two blocks overlap. Nothing is changed.
/// Errors: kCorrupt with the place; kIo, kNotFound, kUnsupported.
[[nodiscard]] Result<StoreReport> check_store(storage::Env& env, const std::string& directory);

}  // namespace dgfs::delta
