// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The directory table: the shape of the tree. Every reader holds it in memory. It leads from a
// directory's ordinal to the ordinals of its children, and back. So lookups of (directory inode,
// name) and of inodes read one page, pages need no ordinals (they stay position-independent), and
// link counts and parents cost no read.
//
// Directories are visited depth first, which is the order of their child lists. For each directory
// the section holds its number of children and the positions of its subdirectories among them (as
// gaps), all as varints. Ordinals follow from these: the first list begins at ordinal 1 (0 is the
// root), every other list where the list visited before it ends. The body is cut into sealed blocks
// at list boundaries.
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

/// Appends one directory's list to a body: the number of children, the number of subdirectories,
/// and the positions (0-based, rising) of the subdirectories among the children.
void encode_directory_list(Buffer& body, std::uint64_t child_count,
                           std::span<const std::uint64_t> subdirectory_positions);

class DirectoryTable {
 public:
  /// Takes the bodies in order; finish() fails unless they hold all lists.
  class Loader;

  /// Children of the directory with this ordinal; nullopt if it is not a directory.
  [[nodiscard]] std::optional<ChildRange> children(Ordinal directory) const;
  /// The directory that holds this ordinal; the root holds itself. nullopt beyond the end.
  [[nodiscard]] std::optional<Ordinal> parent(Ordinal ordinal) const;
  [[nodiscard]] std::uint64_t directory_count() const { return firsts_.size(); }
  [[nodiscard]] Ordinal entry_count() const { return entry_count_; }
  /// About 16 bytes a directory.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // One array for each of the two searches, so that each touches few cache lines, and two arrays to
  // map their positions. Counts of children and subdirectories follow from neighbours.
  RisingNumbers firsts_;                     ///< first ordinals of the lists, in list order
  RisingNumbers ordinals_;                   ///< ordinals of the directories, in key order
  std::vector<std::uint32_t> list_of_;       ///< position in ordinals_ -> position in firsts_
  std::vector<std::uint32_t> directory_of_;  ///< position in firsts_ -> position in ordinals_
  Ordinal entry_count_ = 0;
};

class DirectoryTable::Loader {
 public:
  /// @param entry_count      of the namespace, from the superblock: bounds all memory
  /// @param directory_count  expected number: avoids moving the table as it grows
  explicit Loader(Ordinal entry_count, std::uint64_t directory_count = 0);
  /// Adds the lists of one body. After an error the loader must not be used any more. Errors:
  /// kCorrupt (positions not rising, more children than entries, list without directory), kLimit
  /// (2^32 directories or more).
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
  /// Directories whose lists are still to come, the next one last, as positions in
  /// table_.ordinals_. Lists name directories in the order of their ordinals, and so in the order
  /// of these positions.
  std::vector<std::uint32_t> pending_;
};

}  // namespace dgfs::format
