// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks the keys of a page against the page directory and the rules of path keys.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "format/page/directory.h"
#include "format/page/page.h"

namespace dgfs::reader {

/// Checks that every key of `rows`, after the page's prefix, is valid in its zone (a path key, or 8
/// bytes of a link record). The page codec checks the order of keys.
/// Cost: one pass over the keys' bytes. Errors: kCorrupt.
[[nodiscard]] Status check_keys(const format::DecodedPage& rows,
                                const format::PageRecordView& record);

/// Checks that the first key of a page is not below the page's bound. `key` is without the prefix.
[[nodiscard]] Status check_first_key(std::string_view key, const format::PageRecordView& record);

/// Checks that the last key of a page is below the next page's bound. `key` is without the prefix.
/// @param next_bound  bound of the next page of the same zone, if any
[[nodiscard]] Status check_last_key(std::string_view key, const format::PageRecordView& record,
                                    std::optional<std::string_view> next_bound);

}  // namespace dgfs::reader
