// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Retention: which states of a delta stay, by rules as "the last of each of seven days".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dgfs::layer {

/// Each rule keeps the newest state of each of the last N periods that have a state; periods
/// without one do not count. A rule that finds fewer than N also keeps the oldest state. A state
/// stays if one of the rules keeps it. 0: the rule keeps nothing. A value.
struct KeepRules {
  std::uint64_t last = 0;     ///< of states
  std::uint64_t daily = 0;    ///< of days
  std::uint64_t weekly = 0;   ///< of weeks, which begin on Monday
  std::uint64_t monthly = 0;  ///< of months

  [[nodiscard]] bool keep_nothing() const {
    return last == 0 && daily == 0 && weekly == 0 && monthly == 0;
  }
};

/// Tells for each state whether it stays.
/// @param days  when the states were made, the newest first, so that the days never rise; in days
///              since 1970-01-01 of the user's calendar
[[nodiscard]] std::vector<bool> kept_states(std::span<const std::int64_t> days,
                                            const KeepRules& rules);

}  // namespace dgfs::layer
