// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <optional>
#include <string_view>

namespace dgfs::merge {

/// Which contents a merge packs anew besides those that changed. A value.
struct RepackRules {
  bool all = false;  ///< all, so that the base needs no other file
  /// Those in volumes of whose bytes more than so many of a hundred are dead.
  std::optional<unsigned> dead_percent;

  [[nodiscard]] bool any() const { return all || dead_percent.has_value(); }
};

/// Reads RepackRules::dead_percent, digits from 0 to 99; nullopt: it is something else.
[[nodiscard]] std::optional<unsigned> parse_dead_percent(std::string_view text);

}  // namespace dgfs::merge
