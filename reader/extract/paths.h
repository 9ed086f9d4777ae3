// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Splits paths of an extraction, and finds its starting points.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dgfs::reader {

/// "a/b/c" -> "a/b"; "c" -> "".
[[nodiscard]] std::string_view parent_of(std::string_view path);
/// "a/b/c" -> "c".
[[nodiscard]] std::string_view name_of(std::string_view path);

/// `paths` in the form that walk() uses (without empty and "." components) and in the same order,
/// without paths that repeat an earlier one or lie below another, so that an extraction visits
/// every entry once. Only the root ("") if `paths` is empty.
[[nodiscard]] std::vector<std::string> disjoint_paths(const std::vector<std::string>& paths);

}  // namespace dgfs::reader
