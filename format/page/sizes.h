// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How the bytes of a page divide among its columns: for people who want to see where an index's
// bytes go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dgfs::format {

/// One column in one page. A value.
struct ColumnSize {
  std::string name;              ///< "names", "sizes"; the same in all pages of a codec
  std::uint64_t plain_bits = 0;  ///< before entropy coding
  /// Its part of the payload. The parts of all columns add up to the payload. A part is a fraction
  /// if the codec encodes several columns together and must estimate their shares.
  double stored_bytes = 0;
};

/// One page. Header, columns and unused bytes add up to kPageBytes. A value.
struct PageSizes {
  std::uint8_t codec = 0;             ///< page codec id
  std::uint16_t model_id = 0;         ///< model that it uses
  std::uint16_t attribute_table = 0;  ///< attribute table that it uses
  std::uint16_t entry_count = 0;      ///< entries in it
  std::uint16_t header_bytes = 0;     ///< length of the header, before the payload
  std::uint16_t unused_bytes = 0;     ///< zeros after the payload
  std::vector<ColumnSize> columns;    ///< of the payload, in the codec's order
};

}  // namespace dgfs::format
