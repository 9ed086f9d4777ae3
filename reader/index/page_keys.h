// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks of the keys of one page against the page directory and the rules of path keys.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "format/page/directory.h"
#include "format/page/page.h"

namespace dgfs::reader {

/// Checks that every key of `rows`, the page's prefix before it, is one its zone allows (a valid
/// path key; 8 bytes for link records). Order is the codec's to check.
/// Cost: one pass over the keys' bytes. Errors: kCorrupt.
[[nodiscard]] Status check_keys(const format::DecodedPage& rows,
                                const format::PageRecordView& record);

/// Checks that the first key of a page, relative, is not below the page's bound.
[[nodiscard]] Status check_first_key(std::string_view key, const format::PageRecordView& record);

/// Checks that the last key of a page, relative, is below the next page's bound.
/// @param next_bound  bound of the next page of the same zone, if any
[[nodiscard]] Status check_last_key(std::string_view key, const format::PageRecordView& record,
                                    std::optional<std::string_view> next_bound);

}  // namespace dgfs::reader
