// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterTable: where a filter is in the file of blocks. The superblock has the place of the table,
// and the table those of the stages.
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
  /// No table is longer.
  static constexpr std::uint64_t kBytesMax = std::uint64_t{32} << 10;

  struct Stage {
    std::uint64_t capacity = 0;
    /// Added at least: its bits may have some more.
    std::uint64_t count = 0;
    Place place;
    friend bool operator==(const Stage&, const Stage&) = default;
  };
  std::vector<Stage> stages;  ///< all but the last are full
  std::vector<PrefixRange> ranges;

  friend bool operator==(const FilterTable&, const FilterTable&) = default;
};

[[nodiscard]] Buffer encode_filter_table(const FilterTable& table);
/// All that a filter promises is checked. Errors: kCorrupt.
[[nodiscard]] Result<FilterTable> decode_filter_table(Bytes bytes, const OlderObjects& older);

/// Reads a table. Errors: kIo, kCorrupt.
[[nodiscard]] Result<FilterTable> read_filter_table(const BlockFile& file, const Place& place,
                                                    const OlderObjects& older);
/// Reads a stage of a table that was decoded. Errors: kIo, kCorrupt. Throws std::bad_alloc.
/// @param into  has its capacity, and is not read
[[nodiscard]] Status read_filter_stage(const BlockFile& file, const Place& place,
                                       FilterStage& into);

}  // namespace dgfs::delta
