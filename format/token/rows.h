// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenRows: adjacent entries of a token page, all decoded.
#pragma once

#include <string>
#include <vector>

#include "format/column/sparse_column.h"
#include "format/page/page.h"
#include "format/token/cursor.h"

namespace dgfs::format {

/// Filled by one thread, then immutable and thread-safe.
class TokenRows final : public DecodedPage {
 public:
  /// Makes room for `entries` entries whose keys have at most `keys_bytes_max` bytes together.
  /// @param data_offset  of the first entry
  TokenRows(std::size_t entries, std::size_t keys_bytes_max, std::uint64_t data_offset);

  /// Appends the current entry of `cursor`. Returns false if its key does not rise above the last
  /// one, if there is no room for the key, or if the sum of data exceeds kFileBytesMax.
  [[nodiscard]] bool add(const TokenCursor& cursor);
  /// Whether the keys have all the bytes that they may have.
  [[nodiscard]] bool is_full() const { return keys_.size() == keys_bytes_max_; }

  [[nodiscard]] std::size_t size() const override { return rows_.size(); }
  [[nodiscard]] std::string_view key(std::size_t index) const override {
    const auto begin = rows_[index].key_begin;
    const auto end = index + 1 < rows_.size() ? rows_[index + 1].key_begin : keys_.size();
    return {keys_.data() + begin, end - begin};
  }
  [[nodiscard]] Entry entry(std::size_t index) const override;
  [[nodiscard]] std::uint32_t mode(std::size_t index) const override {
    return combinations_[rows_[index].combination].mode;
  }
  [[nodiscard]] InodeNumber link_inode(std::size_t index) const override {
    const auto* rich = rich_.find(index);
    return rich == nullptr ? 0 : rich->link_inode;
  }
  [[nodiscard]] std::uint64_t data_offset(std::size_t index) const override {
    return index < rows_.size() ? rows_[index].data_offset : data_end_;
  }
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  struct Row {
    std::uint64_t size_bytes = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t data_offset = 0;
    std::uint32_t key_begin = 0;
    std::uint16_t combination = 0;  ///< in combinations_
    std::uint16_t time = 0;         ///< in times_
  };

  std::string keys_;
  std::size_t keys_bytes_max_;
  std::vector<Row> rows_;
  std::vector<AttributeCombination> combinations_;
  std::vector<Time> times_;
  SparseColumn<Entry> rich_;  ///< without keys
  std::uint64_t data_end_;
};

}  // namespace dgfs::format
