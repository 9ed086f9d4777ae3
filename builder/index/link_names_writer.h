// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The link names writer makes the two sections that list the names of multiply linked objects.
#pragma once

#include <cstdint>
#include <vector>

#include "builder/spool/run_sorter.h"
#include "builder/spool/spool.h"
#include "builder/stop.h"
#include "format/entry/entry.h"
#include "format/section/link_block.h"
#include "format/section/link_table.h"

namespace dgfs::builder {

/// Memory: some megabytes for any number of names; the rest is in spools.
class LinkNamesWriter {
 public:
  LinkNamesWriter(const SpoolPlace& place, StopFlag stop);

  // Errors of all methods: kIo, kNoSpace; of finish() also kInterrupted.
  /// Adds a name of an object. Names may come in any order, each once. `name`: its ordinal in the
  /// tree.
  [[nodiscard]] Status add(format::InodeNumber inode, format::Ordinal name);
  /// Must be called after the last name.
  [[nodiscard]] Status finish();

  /// After finish(): the contents of the sections; empty if there are no such names.
  [[nodiscard]] const Spool& blocks() const { return blocks_; }
  [[nodiscard]] const Spool& table() const { return table_; }

 private:
  [[nodiscard]] Status add_sorted(format::InodeNumber inode, format::Ordinal name);
  [[nodiscard]] Status end_object();
  [[nodiscard]] Status end_part();
  [[nodiscard]] Status end_block();
  [[nodiscard]] Status end_table_block();

  StopFlag stop_;
  RunSorter by_object_;
  // The current object, and its names that are in no block yet.
  format::InodeNumber inode_ = 0;
  std::vector<format::Ordinal> names_;
  std::size_t gap_bytes_ = 0;
  format::LinkBlockFiller block_;
  std::vector<format::LinkTableRow> rows_;  ///< rows of the table's next block
  format::InodeNumber before_ = 0;          ///< first inode of the row before rows_
  Spool blocks_;
  Spool table_;
};

}  // namespace dgfs::builder
