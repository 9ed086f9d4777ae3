// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks an index page by page, beyond its checksums.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "reader/counter_cells.h"
#include "reader/index/source.h"
#include "reader/index/tables.h"

namespace dgfs::reader {

/// Reads and checks every region of both index copies except side records, and that unused bytes
/// are zero. If both copies are intact, also checks that they have the same bytes. Calls `damaged`
/// for each finding. Memory: 16 bytes for each name of a multiply linked object.
/// @param goes_on  called after each page with the page bytes checked so far and the page bytes of
///                 both copies together; false ends the check. May be empty
/// Errors: kInterrupted.
[[nodiscard]] Status check_index(
    const IndexSource& source, const IndexTables& tables, CounterCells& counters,
    const std::function<void(const Error&)>& damaged,
    const std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)>& goes_on);

}  // namespace dgfs::reader
