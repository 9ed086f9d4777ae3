// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The code of a name: a number of few bits that says where the name stands in the order of bytes,
// as seen from an earlier name. Names that follow each other have different codes, with rare
// exceptions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::view {

/// The code of a name behind another one. It depends on nothing else. Of two names behind `from`,
/// the later one never has the lower code; in rare cases both have the same one. Only `from` has
/// code 0. Like an arithmetic coder it divides the range of codes: first by the length that the
/// name shares with `from`, then by one byte after the other. A byte has a large share if `from`
/// has it at the same index, else digits and letters have larger shares than others.
/// @param from  at most 255 bytes, not after `name`; empty: before all names
/// @param bits  20 to 54, with `from` to 50; the code is below 2^bits
[[nodiscard]] std::uint64_t code_of_name(std::string_view from, std::string_view name,
                                         unsigned bits) noexcept;

/// A string that is not after any name with this code or a higher one, and mostly after all names
/// with lower codes. Throws std::bad_alloc.
[[nodiscard]] std::string begin_of_code(std::string_view from, std::uint64_t code, unsigned bits);

}  // namespace dgfs::view
