// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ColumnPage: a page of the column codec, opened for searching, as a struct of arrays. Whole keys
// stand one after the other in an arena. Values that few entries have stand in sparse columns.
// Nothing is allocated per entry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/column/entry_columns.h"
#include "format/column/sparse_column.h"
#include "format/entry/attribute_table.h"
#include "format/page/page.h"

namespace dgfs::format {

/// Immutable, thread-safe. Made by decode_columns().
class ColumnPage final : public DecodedPage {
 public:
  [[nodiscard]] std::size_t size() const override { return kinds_.size(); }
  [[nodiscard]] std::string_view key(std::size_t index) const override {
    return {keys_.get() + key_begins_[index], key_begins_[index + 1] - key_begins_[index]};
  }
  [[nodiscard]] Entry entry(std::size_t index) const override;
  [[nodiscard]] std::uint32_t mode(std::size_t index) const override {
    return combinations_[combination_of_[index]].mode;
  }
  [[nodiscard]] InodeNumber link_inode(std::size_t index) const override;
  [[nodiscard]] std::uint64_t data_offset(std::size_t index) const override {
    return data_offsets_[index];
  }
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  /// A place in targets_.
  struct Target {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
  };
  /// The only writer.
  friend class ColumnPageLoader;

  std::unique_ptr<char[]> keys_;
  std::size_t keys_capacity_bytes_ = 0;
  std::vector<std::uint32_t> key_begins_;  ///< size() + 1 of them
  std::vector<std::uint8_t> kinds_;
  std::vector<std::uint16_t> combination_of_;
  std::vector<AttributeCombination> combinations_;  ///< those that occur in the page
  std::vector<std::uint64_t> sizes_;
  std::vector<std::uint64_t> data_offsets_;  ///< size() + 1 of them
  std::vector<std::uint16_t> time_of_;
  std::vector<Time> times_;
  std::string targets_;
  SparseColumn<Target> target_places_;
  SparseColumn<SideRef> long_targets_;
  SparseColumn<SideRef> sparse_maps_;
  SparseColumn<SideRef> xattrs_;
  SparseColumn<ExtentCodec> codecs_;
  SparseColumn<std::uint64_t> stored_;
  SparseColumn<std::uint32_t> fragment_offsets_;
  SparseColumn<DataAddress> addresses_;
  SparseColumn<InodeNumber> link_inodes_;
  SparseColumn<std::uint32_t> link_counts_;
  SparseColumn<std::uint64_t> rdevs_;
  SparseColumn<Time> change_times_;
  SparseColumn<Time> access_times_;
};

}  // namespace dgfs::format
