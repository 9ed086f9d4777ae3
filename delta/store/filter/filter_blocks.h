// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterBlocks: the filter of a store on disk. A checkpoint writes the stages that have changed,
// and a table of all stages, at new places; full stages stay where they are. The blocks of the last
// checkpoint are freed when the next one is durable.
#pragma once

#include <cstdint>
#include <vector>

#include "delta/store/filter/filter_table.h"
#include "delta/store/filter/prefix_filter.h"

namespace dgfs::delta {

/// For one thread at a time; other threads may use the filter meanwhile.
class FilterBlocks {
 public:
  /// Both must outlive it.
  FilterBlocks(BlockFile& file, PrefixFilter& filter) : file_(file), filter_(filter) {}

  /// Call it when a store is opened, before anything is added to the filter: reads the table, and
  /// the stage that is not full. If a block is damaged or cannot be read, the filter lets all
  /// objects through from then on, also in the next checkpoint.
  /// @param table  from the superblock; of length 0: there is none
  void load(const Place& table);
  /// After load(), at any time: reads one of the full stages, which let everything through until
  /// they are read. If it is damaged or cannot be read, does the same as load(). False: none is
  /// left, or there is no memory for it. Cost: one read.
  [[nodiscard]] bool load_stage();
  /// Whether all stages on disk have been read.
  [[nodiscard]] bool is_loaded() const { return unread() == 0; }
  /// Marks the blocks of the filter as in use; call it after the tree has marked its own. A block
  /// that overlaps another is treated as damaged.
  void mark_used_space();

  /// Call it in a checkpoint, when all keys of the checkpoint are in the filter: writes the changes
  /// since the last call. If there is no space for a stage, it writes a table that lets everything
  /// through, and the stage next time. Errors: kIo, kNoSpace.
  [[nodiscard]] Status write();
  /// Moves blocks behind an offset, where the file is closed to new blocks, to places before it, as
  /// far as there is space. Unread stages stay where they are.
  void leave_end(std::uint64_t begin_bytes) noexcept;
  /// The table; of length 0: the filter is empty.
  [[nodiscard]] const Place& place() const { return table_; }
  /// A checkpoint that has place() is durable.
  void note_checkpoint();

  [[nodiscard]] const PrefixFilter& filter() const { return filter_; }

  /// The table that was written last, and the stages in it.
  [[nodiscard]] std::vector<Place> blocks() const;
  /// Blocks in use that place() does not lead to.
  [[nodiscard]] std::vector<Extent> spare() const;
  /// The same in bytes, with padding.
  [[nodiscard]] std::uint64_t disk_bytes() const noexcept;
  /// Space that note_checkpoint() will free, with padding.
  [[nodiscard]] std::uint64_t retired_bytes() const;

  /// The most that write() takes after so many more prefixes, with padding.
  [[nodiscard]] std::uint64_t bytes_to_write(std::uint64_t prefixes) const;

 private:
  [[nodiscard]] Status load_parts(const Place& table);
  /// The newest unread stage, counted from 1; 0: all are read.
  [[nodiscard]] std::size_t unread() const;
  void give_up();
  [[nodiscard]] bool is_written(std::size_t stage) const;
  [[nodiscard]] Status write_stage(std::size_t at);
  [[nodiscard]] Status write_table(const FilterTable& table);
  [[nodiscard]] bool move_before(std::uint64_t begin_bytes, std::vector<Extent>& taken);
  void retire(const Place& place);

  BlockFile& file_;
  PrefixFilter& filter_;
  std::vector<FilterTable::Stage> stages_;  ///< on disk
  PrefixRangesRef ranges_;                  ///< in the table on disk
  Place table_;
  bool is_stale_ = false;      ///< the table does not name the stages on disk
  bool has_given_up_ = false;  ///< a block was damaged or could not be read
  /// Blocks that place() does not lead to, which the last durable checkpoint may need.
  std::vector<Extent> retired_;
};

}  // namespace dgfs::delta
