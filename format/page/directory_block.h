// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Blocks of the page directory: up to kPageDirectoryBlockRecords records as columns of varints,
// so that the sealed block around it compresses well. Layout: docs/FORMAT.md, "Page directory".
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

/// @tparam Text  what its strings are: held by the record, or elsewhere
template <class Text>
struct BasicPageRecord {
  std::uint64_t zone = 0;
  /// Common to all keys of the page; keys in the page are what follows it.
  Text prefix;
  /// prefix + separator is greater than every key of the page before and not greater than any
  /// key of this page: the least bytes that tell the two apart.
  Text separator;
  Ordinal first_ordinal = 0;
  std::uint32_t entry_count = 0;
  VolumeNumber volume = 0;
  std::uint64_t first_data_offset = 0;  ///< bytes, in `volume`
  std::uint64_t checksum = 0;           ///< of the page, as in its header
  friend bool operator==(const BasicPageRecord&, const BasicPageRecord&) = default;
};
using PageRecord = BasicPageRecord<std::string>;

/// The same with its bound, prefix + separator, in a string of many.
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

/// Encodes a run of records as one block body, front-coded; decode_page_block() is its inverse
/// and checks order, bounds and that ordinals are contiguous from the first.
[[nodiscard]] Buffer encode_page_block(const std::vector<PageRecord>& records);
/// Errors: kCorrupt.
[[nodiscard]] Result<std::vector<PageRecord>> decode_page_block(Bytes body);
/// Appends the records of a block to `records`, their bounds to `bounds`. Errors: kCorrupt; what
/// was appended is useless then.
[[nodiscard]] Status decode_page_block(Bytes body, std::vector<PackedPageRecord>& records,
                                       std::string& bounds);

}  // namespace dgfs::format
