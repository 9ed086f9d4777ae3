// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks of the keys of one page against the page directory and the rules of path keys.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "format/page.h"
#include "format/page_directory.h"

namespace dgfs::reader {

/// Checks that every key of the page, its prefix before it, is one its zone allows (a valid path
/// key; 8 bytes for link records), that the first is not below the page's bound and the last
/// below the next page's. Order within the page is the codec's to check.
/// @param next_bound  bound of the next page of the same zone, if any
/// Cost: one pass over the keys' bytes. Errors: kCorrupt.
[[nodiscard]] Status check_page_keys(const format::DecodedPage& page,
                                     const format::PageRecord& record,
                                     std::optional<std::string_view> next_bound);

}  // namespace dgfs::reader
