// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks of an index page by page, beyond what its checksums say.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "reader/counter_cells.h"
#include "reader/index/source.h"
#include "reader/index/tables.h"

namespace dgfs::reader {

/// Reads and checks every region of both index copies but side records; that bytes which belong to
/// nothing are zero; and that copies in which it found nothing are the same bytes. Calls `damaged`
/// per finding. Memory: 16 bytes for each name of a multiply linked object.
/// @param goes_on  after each page: how many bytes of pages were checked, of how many there are in
///                 both copies; false ends the check. May be empty
/// Errors: kInterrupted.
[[nodiscard]] Status check_index(
    const IndexSource& source, const IndexTables& tables, CounterCells& counters,
    const std::function<void(const Error&)>& damaged,
    const std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)>& goes_on);

}  // namespace dgfs::reader
