// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Paths of an extraction: what they are made of, and which it begins with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dgfs::reader {

/// "a/b/c" -> "a/b"; "c" -> "".
[[nodiscard]] std::string_view parent_of(std::string_view path);
/// "a/b/c" -> "c".
[[nodiscard]] std::string_view name_of(std::string_view path);

/// `paths` as walk() gives them (without empty and "." components), in the same order, without
/// those that repeat an earlier one or lie below another, so that an extraction comes to every
/// entry once; the root ("") alone if there are none.
[[nodiscard]] std::vector<std::string> disjoint_paths(const std::vector<std::string>& paths);

}  // namespace dgfs::reader
