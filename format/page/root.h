// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The page root: where each block of the page directory is and which pages it covers, so that a
// reader of a very large index need not hold the whole page directory in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::format {

/// Most rows in one block of the page root.
inline constexpr std::size_t kPageRootBlockRows = 512;

/// Describes one block of the page directory.
struct PageRootRow {
  std::uint64_t zone = 0;          ///< zone of its first page
  std::string bound;               ///< prefix + separator of its first page
  Ordinal first_ordinal = 0;       ///< first ordinal of its first page
  std::uint64_t first_page = 0;    ///< number of its first page
  std::uint32_t page_count = 0;    ///< 1 to kPageDirectoryBlockRecords
  std::uint64_t offset_bytes = 0;  ///< place of the sealed block in section kPageDirectory
  std::uint32_t length_bytes = 0;  ///< length of the sealed block, its header included
  friend bool operator==(const PageRootRow&, const PageRootRow&) = default;
};

/// Appends the body of one block of the root to `out`. Each row must begin, in pages and in bytes,
/// where the row before ends.
/// @param rows  1 to kPageRootBlockRows
void encode_page_root(const std::vector<PageRootRow>& rows, Buffer& out);
/// Inverse of encode_page_root(). Errors: kCorrupt ((zone, bound) or ordinals do not rise, lengths,
/// counts).
[[nodiscard]] Result<std::vector<PageRootRow>> decode_page_root(Bytes body);

}  // namespace dgfs::format
