// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/repack_rules.h"

#include <charconv>
#include <system_error>

namespace dgfs::merge {

std::optional<unsigned> parse_dead_percent(std::string_view text) {
  constexpr unsigned kWhole = 100;
  unsigned percent = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || stop != end || percent >= kWhole) return std::nullopt;
  return percent;
}

}  // namespace dgfs::merge
