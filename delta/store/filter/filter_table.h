// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterTable: where a filter is in the file of blocks. The superblock has the place of the table,
// and the table has the places of the stages.
//
//   number of stages, varint; of each: capacity and count of prefixes, varints, and its place
//   number of ranges, varint; of each the first and the last prefix: class, 1 byte, object, 8 bytes
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/disk/block_file.h"
#include "delta/store/filter/filter_stage.h"
#include "delta/store/filter/prefix_ranges.h"

namespace dgfs::delta {

/// A value.
struct FilterTable {
  /// The longest table.
  static constexpr std::uint64_t kBytesMax = std::uint64_t{32} << 10;

  struct Stage {
    std::uint64_t capacity = 0;
    /// At least so many prefixes are in its bits.
    std::uint64_t count = 0;
    Place place;
    friend bool operator==(const Stage&, const Stage&) = default;
  };
  std::vector<Stage> stages;  ///< all but the last are full
  std::vector<PrefixRange> ranges;

  friend bool operator==(const FilterTable&, const FilterTable&) = default;
};

[[nodiscard]] Buffer encode_filter_table(const FilterTable& table);
/// Checks all rules of a filter. Errors: kCorrupt.
[[nodiscard]] Result<FilterTable> decode_filter_table(Bytes bytes, const OlderObjects& older);

/// Reads a table. Errors: kIo, kCorrupt.
[[nodiscard]] Result<FilterTable> read_filter_table(const BlockFile& file, const Place& place,
                                                    const OlderObjects& older);
/// Reads a stage of a decoded table. Errors: kIo, kCorrupt. Throws std::bad_alloc.
/// @param into  an unread stage of the same capacity
[[nodiscard]] Status read_filter_stage(const BlockFile& file, const Place& place,
                                       FilterStage& into);

}  // namespace dgfs::delta
