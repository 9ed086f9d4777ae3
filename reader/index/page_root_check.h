// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whether the page root repeats what the page directory says, block by block: readers that do not
// hold all of a page directory believe it.
#pragma once

#include "base/result.h"
#include "format/page/directory.h"
#include "reader/index/copy.h"

namespace dgfs::reader {

/// @param pages  of the same copy
/// Reads the page directory once more, two reads a block. Errors: kIo; kCorrupt (F-070 to F-073),
/// with their place.
[[nodiscard]] Status check_page_root(const IndexCopy& copy, const format::PageDirectory& pages);

}  // namespace dgfs::reader
