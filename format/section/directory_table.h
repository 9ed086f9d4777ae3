// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The directory table: the shape of the tree, held in memory by every reader. It leads from a
// directory's ordinal to the ordinals of its children and back, so that (directory inode, name)
// and inode lookups read one page, pages need no ordinals (they stay position-independent), and
// link counts and parents cost no read.
//
// Directories are visited depth first (the order of their child lists); for each the section
// holds two things, both varints: how many children it has and at which positions among them its
// subdirectories stand (as gaps). Ordinals follow: the first list begins at ordinal 1 (0 is the
// root), every other one where the list visited before it ends. Body bytes are cut into sealed
// section blocks at list boundaries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/coding.h"
#include "format/entry/entry.h"
#include "format/section/rising_numbers.h"

namespace dgfs::format {

/// The children of one directory: ordinals [first, first + count).
struct ChildRange {
  Ordinal first = 0;
  std::uint64_t count = 0;
  std::uint64_t subdirectory_count = 0;
  friend bool operator==(const ChildRange&, const ChildRange&) = default;
};

/// Appends one directory's list to a body: child count, number of subdirectories, and the
/// positions (0-based, rising) of the subdirectories among the children.
void encode_directory_list(Buffer& body, std::uint64_t child_count,
                           std::span<const std::uint64_t> subdirectory_positions);

class DirectoryTable {
 public:
  /// Consumes bodies in order. The tree may only close when all lists have been seen.
  class Loader;

  /// Children of the directory with this ordinal; nullopt if it is not a directory.
  [[nodiscard]] std::optional<ChildRange> children(Ordinal directory) const;
  /// Directory that holds this ordinal; the root's parent is the root. nullopt beyond the end.
  [[nodiscard]] std::optional<Ordinal> parent(Ordinal ordinal) const;
  [[nodiscard]] std::uint64_t directory_count() const { return firsts_.size(); }
  [[nodiscard]] Ordinal entry_count() const { return entry_count_; }
  /// About 16 bytes a directory.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // One array for each of the two searches, so that these touch few cache lines, and the two ways
  // between them. Child and subdirectory counts follow from neighbours.
  RisingNumbers firsts_;                     ///< of the lists, in list order
  RisingNumbers ordinals_;                   ///< of the directories, in key order
  std::vector<std::uint32_t> list_of_;       ///< position in ordinals_ -> in firsts_
  std::vector<std::uint32_t> directory_of_;  ///< and back
  Ordinal entry_count_ = 0;
};

class DirectoryTable::Loader {
 public:
  /// @param entry_count      of the namespace, from the superblock: bounds all memory
  /// @param directory_count  that is expected: spares moving the table as it grows
  explicit Loader(Ordinal entry_count, std::uint64_t directory_count = 0);
  /// After an error the loader must not be used any more.
  /// Errors: kCorrupt (positions not rising, more children than entries, list without directory),
  /// kLimit (2^32 directories or more).
  [[nodiscard]] Status add(Bytes body);
  /// Errors: kCorrupt if lists are missing or the entries do not add up.
  [[nodiscard]] Result<DirectoryTable> finish() &&;

 private:
  [[nodiscard]] std::size_t add_small_leaves(Bytes lists);
  [[nodiscard]] Status add_list(Decoder& decoder);
  [[nodiscard]] Status add_subdirectories(Decoder& decoder, std::uint64_t child_count);

  [[nodiscard]] DirectoryTable build() &&;

  DirectoryTable table_;
  Ordinal expected_entries_;
  Ordinal next_first_ = 1;
  /// Directories whose lists are still to come, next one last: positions in table_.ordinals_, where
  /// they stand in the order in which the lists name them, which is that of their ordinals.
  std::vector<std::uint32_t> pending_;
};

}  // namespace dgfs::format
