// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceReserve: space for a checkpoint is kept in reserve: for what of the tree is not written, and
// for as many tables as may wait. A batch is refused where it cannot be kept, so that what has been
// taken in gets into the tree on a full disk, too.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "delta/store/filter/filter_blocks.h"
#include "delta/store/tree/node.h"
#include "delta/store/tree_files.h"

namespace dgfs::delta {

/// Thread-safe, but for what a checkpoint calls.
class SpaceReserve {
 public:
  /// @param files    must outlive it
  /// @param filter   of the store; likewise
  /// @param options  with the parameters of the store
  SpaceReserve(TreeFiles& files, const FilterBlocks& filter, const StoreOptions& options)
      : files_(files), filter_(filter), options_(options) {}

  /// Sees to it that a batch will find space. Errors: kNoSpace, kIo; nothing is promised then.
  /// @param value_bytes   of its large values; to be released if it is not taken in
  /// @param removes_only  what removes makes space, some day, and is small: it is not refused
  [[nodiscard]] Status promise(std::uint64_t value_bytes, bool removes_only);
  void release(std::uint64_t value_bytes) { files_.values.release(value_bytes); }
  /// Whether there is one: if not, batches are refused.
  [[nodiscard]] bool is_there() const;

  /// Of a tree; returns whether there is space for it. Errors: those of Stored::load. By whoever
  /// maintains the tree, like all that follows.
  [[nodiscard]] Result<bool> keep(const Stored<Node>& root);
  /// Whether a tree would leave it as it is. Where it is not there nothing waits for it.
  [[nodiscard]] bool is_left_by(const Stored<Node>& root);
  /// Of blocks: lets go of it, to be kept again.
  void let_go() { static_cast<void>(files_.blocks.reserve(0)); }
  /// After a checkpoint of a tree: the ends of the files go back to the disk, but for the reserve.
  /// Errors: those of keep().
  [[nodiscard]] Status shorten_files(const Stored<Node>& root);

 private:
  [[nodiscard]] Result<std::uint64_t> bytes_for(const Stored<Node>& root) const;

  TreeFiles& files_;
  const FilterBlocks& filter_;
  const StoreOptions options_;
  mutable std::mutex mutex_;      ///< innermost; all that follows
  std::optional<Error> refusal_;  ///< of batches: there is no space for a checkpoint of more
};

}  // namespace dgfs::delta
