// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Blocks of the page directory: up to kPageDirectoryBlockRecords records as columns of varints, so
// that the sealed block compresses well. Layout: docs/FORMAT.md, "Page directory".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::format {

inline constexpr std::size_t kPageDirectoryBlockRecords = 512;

/// @tparam Text  type of the strings: std::string, or a view of strings held elsewhere
template <class Text>
struct BasicPageRecord {
  std::uint64_t zone = 0;
  /// Common to all keys of the page; the page holds only the rest of each key.
  Text prefix;
  /// The least bytes that tell this page from the page before: prefix + separator is greater than
  /// every key of the page before and not greater than any key of this page.
  Text separator;
  Ordinal first_ordinal = 0;
  std::uint32_t entry_count = 0;
  VolumeNumber volume = 0;
  std::uint64_t first_data_offset = 0;  ///< bytes, in `volume`
  std::uint64_t checksum = 0;           ///< of the page, as in its header
  friend bool operator==(const BasicPageRecord&, const BasicPageRecord&) = default;
};
using PageRecord = BasicPageRecord<std::string>;

/// A record whose bound, prefix + separator, is a part of a longer string.
struct PackedPageRecord {
  std::uint64_t zone = 0;
  Ordinal first_ordinal = 0;
  std::uint64_t first_data_offset = 0;
  std::uint64_t checksum = 0;
  std::uint64_t bound_begin = 0;
  std::uint32_t bound_bytes = 0;
  std::uint32_t prefix_bytes = 0;
  std::uint32_t entry_count = 0;
  VolumeNumber volume = 0;
};

/// Encodes a run of records as the body of one block, front-coded. decode_page_block() is its
/// inverse; it checks order, bounds and that ordinals have no gaps after the first.
[[nodiscard]] Buffer encode_page_block(const std::vector<PageRecord>& records);
/// Errors: kCorrupt.
[[nodiscard]] Result<std::vector<PageRecord>> decode_page_block(Bytes body);
/// Appends the records of a block to `records` and their bounds to `bounds`. Errors: kCorrupt; the
/// appended parts must not be used then.
[[nodiscard]] Status decode_page_block(Bytes body, std::vector<PackedPageRecord>& records,
                                       std::string& bounds);

}  // namespace dgfs::format
