// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterBlocks: the filter of a store on disk. A checkpoint writes the stages that have changed,
// and a table of all of them, elsewhere than before; stages that are full stay where they are. What
// the last checkpoint has is free when the next one is durable.
#pragma once

#include <cstdint>
#include <vector>

#include "delta/store/filter/filter_table.h"
#include "delta/store/filter/prefix_filter.h"

namespace dgfs::delta {

/// For one thread at a time; others may use the filter meanwhile.
class FilterBlocks {
 public:
  /// Both must outlive it.
  FilterBlocks(BlockFile& file, PrefixFilter& filter) : file_(file), filter_(filter) {}

  /// Of a store that is opened, before anything is added to the filter: reads the table, and the
  /// stage that is not full. Where a block cannot be read, or is damaged, the filter says true of
  /// all from then on, and so it will be written down.
  /// @param table  that the superblock has; of length 0: there is none
  void load(const Place& table);
  /// Afterwards, at any time: reads one of the full stages, which say true of all before. Where it
  /// is damaged, or cannot be read, as load(). False: none is left to be read, or there is no
  /// memory for it. Cost: one read.
  [[nodiscard]] bool load_stage();
  /// Whether none of the stages that were written is left to be read.
  [[nodiscard]] bool is_loaded() const { return unread() == 0; }
  /// Notes the space of what was loaded, after that of the tree. What lies over other blocks is
  /// damage as above.
  void mark_used_space();

  /// In a checkpoint, when all that it has was added to the filter: writes what has changed since
  /// the last time. Where there is no space for a stage, a table is written that lets all through,
  /// and the stage is written the next time. Errors: kIo, kNoSpace.
  [[nodiscard]] Status write();
  /// What was written lies behind an offset of the file that is closed to new blocks: writes it
  /// before that, as far as there is space. Stages that are not read stay where they are.
  void leave_end(std::uint64_t begin_bytes) noexcept;
  /// Of the table that was written; of length 0: the filter is empty.
  [[nodiscard]] const Place& place() const { return table_; }
  /// A checkpoint that has place() is durable.
  void note_checkpoint();

  [[nodiscard]] const PrefixFilter& filter() const { return filter_; }

  /// The table and the stages that it names, as they were written last.
  [[nodiscard]] std::vector<Place> blocks() const;
  /// Blocks in use that place() does not lead to.
  [[nodiscard]] std::vector<Extent> spare() const;
  /// What is free then, with padding.
  [[nodiscard]] std::uint64_t retired_bytes() const;

  /// What write() may take of the file if so many prefixes are added before, with padding.
  [[nodiscard]] std::uint64_t bytes_to_write(std::uint64_t prefixes) const;

 private:
  [[nodiscard]] Status load_parts(const Place& table);
  /// The newest stage that is not read, counted from 1; 0: there is none.
  [[nodiscard]] std::size_t unread() const;
  void give_up();
  [[nodiscard]] bool is_written(std::size_t stage) const;
  [[nodiscard]] Status write_stage(std::size_t at);
  [[nodiscard]] Status write_table(const FilterTable& table);
  [[nodiscard]] bool move_before(std::uint64_t begin_bytes, std::vector<Extent>& taken);
  void retire(const Place& place);

  BlockFile& file_;
  PrefixFilter& filter_;
  std::vector<FilterTable::Stage> stages_;  ///< as they were written last
  PrefixRangesRef ranges_;                  ///< that the table has
  Place table_;
  bool is_stale_ = false;      ///< the table does not name the stages that were written last
  bool has_given_up_ = false;  ///< some could not be read
  /// Blocks that place() does not lead to: the last durable checkpoint may have them.
  std::vector<Extent> retired_;
};

}  // namespace dgfs::delta
