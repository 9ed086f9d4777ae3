// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks that the page root agrees with the page directory, block by block: a reader that does not
// hold the whole page directory in memory relies on the page root.
#pragma once

#include "base/result.h"
#include "format/page/directory.h"
#include "reader/index/copy.h"

namespace dgfs::reader {

/// @param pages  page directory of the same copy
/// Reads the page directory again, with two reads a block. Errors: kIo; kCorrupt (F-070 to F-073),
/// with their place.
[[nodiscard]] Status check_page_root(const IndexCopy& copy, const format::PageDirectory& pages);

}  // namespace dgfs::reader
