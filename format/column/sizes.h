// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Computes how much of a payload of the column codec each column takes.
#pragma once

#include <span>
#include <vector>

#include "format/column/page_loader.h"
#include "format/page/sizes.h"
#include "format/zstd/payload.h"

namespace dgfs::format {

/// Divides the stored bytes of each block among the columns in it, in proportion to their bits
/// there. Most blocks hold one column (ColumnWriter::end_block); its share is exact.
/// @param marks   the ends of the columns in their order, from measure_columns()
/// @param blocks  of the payload; bytes before the first column count as "head"
/// @param columns_bytes     length of the columns
/// @param bit_stream_bytes  length of the bit stream, which is their last part
[[nodiscard]] std::vector<ColumnSize> column_sizes(const ColumnMarks& marks,
                                                   std::span<const PayloadBlock> blocks,
                                                   std::size_t columns_bytes,
                                                   std::size_t bit_stream_bytes);

}  // namespace dgfs::format
