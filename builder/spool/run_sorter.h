// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// External sort of fixed-size records. Records that do not fit into the allowed memory are sorted
// in runs, written to spools, and merged.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "builder/spool/spool.h"

namespace dgfs::builder {

/// Compared lexicographically.
using SortRecord = std::array<std::uint64_t, 3>;

/// Sorted records, for one pass. Owns the spools that it reads.
class SortedRecords {
 public:
  virtual ~SortedRecords() = default;
  /// The next record; nullopt at the end. Errors: those of Spool::read().
  [[nodiscard]] virtual Result<std::optional<SortRecord>> next() = 0;
};

class RunSorter {
 public:
  /// @param memory_bytes  for records while they are added, and for buffers while merging; a few
  ///                      records are always held
  RunSorter(SpoolPlace place, std::size_t memory_bytes);

  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status add(const SortRecord& record);
  /// Ends adding. Errors: kIo, kNoSpace.
  [[nodiscard]] Result<std::unique_ptr<SortedRecords>> finish() &&;
  /// Runs written to spools so far, merges included.
  [[nodiscard]] std::uint64_t spilled_runs() const { return spilled_runs_; }

 private:
  using Run = std::shared_ptr<Spool>;

  [[nodiscard]] Status spill();
  [[nodiscard]] Run new_run();
  [[nodiscard]] std::unique_ptr<SortedRecords> merge(std::vector<Run> runs) const;
  [[nodiscard]] Status merge_first();

  SpoolPlace place_;
  std::size_t records_max_;
  std::size_t fan_in_;  ///< runs merged at once; each needs a buffer
  std::vector<SortRecord> records_;
  std::deque<Run> runs_;
  std::uint64_t spilled_runs_ = 0;
};

}  // namespace dgfs::builder
