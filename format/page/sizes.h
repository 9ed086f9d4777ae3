// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a page is filled with, by column: for people who want to know where an index's bytes go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dgfs::format {

/// One column in one page. A value.
struct ColumnSize {
  std::string name;              ///< "names", "sizes"; the same in all pages of a codec
  std::uint64_t plain_bits = 0;  ///< before entropy coding
  /// What it takes of the payload. Not whole where a codec codes several columns together and has
  /// to say which part is whose; over the columns of a page it adds up to the payload.
  double stored_bytes = 0;
};

/// One page; the header, the columns and the rest together are kPageBytes. A value.
struct PageSizes {
  std::uint8_t codec = 0;             ///< page codec id
  std::uint16_t model_id = 0;         ///< model that it uses
  std::uint16_t attribute_table = 0;  ///< attribute table that it uses
  std::uint16_t entry_count = 0;      ///< entries in it
  std::uint16_t header_bytes = 0;     ///< before the payload
  std::uint16_t unused_bytes = 0;     ///< zeros after the payload
  std::vector<ColumnSize> columns;    ///< of the payload, in the codec's order
};

}  // namespace dgfs::format
