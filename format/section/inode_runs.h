// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Inode runs: the map between stable inode numbers and ordinals. A fresh build has one run (inode 1
// is ordinal 0, and so on). A merge that keeps numbers makes more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::format {

/// Inodes [first_inode, first_inode + count) are ordinals [first_ordinal, first_ordinal + count).
struct InodeRun {
  InodeNumber first_inode = 0;
  Ordinal first_ordinal = 0;
  std::uint64_t count = 0;
  friend bool operator==(const InodeRun&, const InodeRun&) = default;
};

class InodeRuns {
 public:
  /// @param runs         in order of first_ordinal
  /// @param entry_count  entries of the namespace; the runs must cover them exactly once
  /// Errors: kCorrupt for overlap in either number space, gaps in ordinals, inode 0, overflow, or a
  /// root that is not inode 1.
  [[nodiscard]] static Result<InodeRuns> make(std::vector<InodeRun> runs, Ordinal entry_count);

  void encode(Buffer& out) const;
  [[nodiscard]] static Result<InodeRuns> decode(Bytes body, Ordinal entry_count);

  [[nodiscard]] std::optional<Ordinal> ordinal_of(InodeNumber inode) const;
  [[nodiscard]] std::optional<InodeNumber> inode_of(Ordinal ordinal) const;
  [[nodiscard]] const std::vector<InodeRun>& runs() const { return by_ordinal_; }
  /// One more than the highest inode number; at most the superblock's next_inode.
  [[nodiscard]] InodeNumber end_inode() const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// Fills by_inode_ and checks that no number occurs twice.
  [[nodiscard]] Status sort_by_inode();

  std::vector<InodeRun> by_ordinal_;
  std::vector<std::uint32_t> by_inode_;  ///< positions in by_ordinal_, sorted by first_inode
};

}  // namespace dgfs::format
