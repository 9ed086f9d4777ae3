// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which column takes how much of a payload of the column codec.
#pragma once

#include <span>
#include <vector>

#include "format/column/page_loader.h"
#include "format/page/sizes.h"
#include "format/zstd/payload.h"

namespace dgfs::format {

/// Shares the stored bytes of each block out among the columns that stand in it, in proportion to
/// their bits there. Most blocks hold one column (ColumnWriter::end_block), whose share is exact.
/// @param marks   where columns end, in their order, as measure_columns() gives them
/// @param blocks  of the payload; what stands before the first column goes to "head"
/// @param columns_bytes     length of the columns
/// @param bit_stream_bytes  how much of it is the bit stream at its end
[[nodiscard]] std::vector<ColumnSize> column_sizes(const ColumnMarks& marks,
                                                   std::span<const PayloadBlock> blocks,
                                                   std::size_t columns_bytes,
                                                   std::size_t bit_stream_bytes);

}  // namespace dgfs::format
