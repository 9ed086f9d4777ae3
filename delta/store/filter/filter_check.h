// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterCheck: compares the filter of a superblock with the keys of the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "delta/store/filter/filter_table.h"
#include "delta/store/filter/prefix_filter.h"

namespace dgfs::delta {

/// For one thread.
class FilterCheck {
 public:
  /// @param file   of blocks; must outlive it
  /// @param table  of length 0: the filter is empty
  FilterCheck(const BlockFile& file, const Place& table, std::uint64_t born_object)
      : file_(file), place_(table), filter_(born_object) {}

  /// Reads the filter, once. Returns the errors that it finds.
  /// @param reads_stages  false: reads only the table, and lets_through() is always true
  [[nodiscard]] std::vector<Error> load(bool reads_stages);

  /// Empty: the table could not be read, or there is none.
  [[nodiscard]] const FilterTable& table() const { return table_; }
  /// The table, if there is one, and the stages in it.
  [[nodiscard]] std::vector<Place> blocks() const;
  /// Whether the filter lets through each key of a run, and each key that a range tombstone of the
  /// run covers. Also true if a part of the filter could not be read.
  [[nodiscard]] bool lets_through(const Run& run) const;

 private:
  const BlockFile& file_;
  Place place_;
  FilterTable table_;
  PrefixFilter filter_;
  bool is_whole_ = false;
};

}  // namespace dgfs::delta
