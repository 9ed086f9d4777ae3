// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// "Did you mean ...?": the known word that is closest to a mistyped one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dgfs::tools {

/// Number of insertions, deletions, replacements and swaps of neighbours between two words.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The closest of `known`, if its distance is at most a third of the word's length (at least one).
[[nodiscard]] std::optional<std::string> closest(std::string_view word,
                                                 const std::vector<std::string>& known);

/// "; did you mean -size?" or an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace dgfs::tools
