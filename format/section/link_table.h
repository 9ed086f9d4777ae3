// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The link table: where the link blocks stand, and which of them has the names of an object.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/section/link_block.h"
#include "format/section/rising_numbers.h"

namespace dgfs::format {

/// A row of the table. A value.
struct LinkTableRow {
  InodeNumber first_inode = 0;     ///< of the first object in the block
  std::uint64_t length_bytes = 0;  ///< of the sealed block, its header included
};

/// Appends the body of one block of the table.
/// @param before  first inode of the row before these, 0 if there is none
void encode_link_table(std::span<const LinkTableRow> rows, InodeNumber before, Buffer& out);

/// Takes some 8 bytes a link block, which has about a thousand names. Immutable, thread-safe.
class LinkTable {
 public:
  /// Numbers of blocks. A value.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  /// Where a block stands. A value.
  struct Place {
    std::uint64_t offset_bytes = 0;  ///< in the section
    std::uint64_t length_bytes = 0;
  };

  /// Takes the blocks in order. For one thread.
  class Loader {
   public:
    /// @param section_bytes  of the link names
    /// @param inode_end      above all inode numbers
    /// @param ordinal_end    names of the tree
    Loader(std::uint64_t section_bytes, InodeNumber inode_end, Ordinal ordinal_end);
    /// Errors: kCorrupt.
    [[nodiscard]] Status add(Bytes body);
    /// Errors: kCorrupt (blocks that do not fill the section).
    [[nodiscard]] Result<LinkTable> finish() &&;

   private:
    [[nodiscard]] Status add_row(InodeNumber gap, std::uint64_t length_bytes, std::size_t offset);

    RisingNumbers firsts_;
    RisingNumbers offsets_;
    std::uint64_t section_bytes_;
    InodeNumber inode_end_;
    Ordinal ordinal_end_;
    InodeNumber last_ = 0;
    std::uint64_t end_bytes_ = 0;  ///< of the blocks so far
  };

  [[nodiscard]] std::size_t block_count() const { return firsts_.size(); }
  /// The blocks that have the names of an object if any has; more than one where each of them
  /// begins with it. Empty where none can have them.
  [[nodiscard]] Range find(InodeNumber inode) const;
  /// @param block  below block_count(), here and below
  [[nodiscard]] Place place(std::size_t block) const;
  [[nodiscard]] LinkBlockBounds bounds(std::size_t block) const;
  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof *this + firsts_.memory_bytes() + offsets_.memory_bytes();
  }

 private:
  LinkTable() = default;

  RisingNumbers firsts_;
  RisingNumbers offsets_;
  std::uint64_t section_bytes_ = 0;
  InodeNumber inode_end_ = 0;
  Ordinal ordinal_end_ = 0;
};

}  // namespace dgfs::format
