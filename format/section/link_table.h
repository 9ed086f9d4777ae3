// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The link table: where the link blocks are, and which of them have the names of an object.
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
  InodeNumber first_inode = 0;     ///< inode number of the first object in the block
  std::uint64_t length_bytes = 0;  ///< length of the sealed block, its header included
};

/// Appends the body of one block of the table.
/// @param before  first inode of the row before these, 0 if there is none
void encode_link_table(std::span<const LinkTableRow> rows, InodeNumber before, Buffer& out);

/// Takes about 8 bytes of memory per link block of about a thousand names. Immutable, thread-safe.
class LinkTable {
 public:
  /// A range of block numbers. A value.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  /// The place of a block. A value.
  struct Place {
    std::uint64_t offset_bytes = 0;  ///< in the section
    std::uint64_t length_bytes = 0;
  };

  /// Takes the blocks in order. For one thread.
  class Loader {
   public:
    /// @param section_bytes  length of the section of link names
    /// @param inode_end      above all inode numbers
    /// @param ordinal_end    number of names of the tree
    Loader(std::uint64_t section_bytes, InodeNumber inode_end, Ordinal ordinal_end);
    /// Errors: kCorrupt.
    [[nodiscard]] Status add(Bytes body);
    /// Errors: kCorrupt (the blocks do not fill the section).
    [[nodiscard]] Result<LinkTable> finish() &&;

   private:
    [[nodiscard]] Status add_row(InodeNumber gap, std::uint64_t length_bytes, std::size_t offset);

    RisingNumbers firsts_;
    RisingNumbers offsets_;
    std::uint64_t section_bytes_;
    InodeNumber inode_end_;
    Ordinal ordinal_end_;
    InodeNumber last_ = 0;
    std::uint64_t end_bytes_ = 0;  ///< end of the blocks so far
  };

  [[nodiscard]] std::size_t block_count() const { return firsts_.size(); }
  /// The blocks that can have the names of an object; empty if none can. If there are several, each
  /// of them begins with that object.
  [[nodiscard]] Range find(InodeNumber inode) const;
  /// @param block  below block_count(); the same for bounds()
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
