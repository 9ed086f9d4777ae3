// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/retention.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace dgfs::layer {
namespace {

// Some 27,000 years: no calendar of the system goes further.
constexpr std::int64_t kDaysMax = 10'000'000;
// 1970-01-01 was a Thursday.
constexpr std::int64_t kDaysAfterMonday = 3;
constexpr std::int64_t kDaysOfWeek = 7;
constexpr std::int64_t kMonthsOfYear = 12;

std::int64_t week_of(std::int64_t day) {
  const auto days = day + kDaysAfterMonday;
  return days >= 0 ? days / kDaysOfWeek : (days + 1) / kDaysOfWeek - 1;
}

std::int64_t month_of(std::int64_t day) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(day)))};
  return kMonthsOfYear * static_cast<int>(date.year()) + static_cast<unsigned>(date.month());
}

// One rule, on its way from the newest state to the oldest.
struct Rule {
  std::uint64_t left = 0;                             ///< periods that it still keeps
  std::optional<std::int64_t> period = std::nullopt;  ///< of the state that it kept last

  bool keeps(std::int64_t next, bool is_oldest) {
    if (left == 0 || (period == next && !is_oldest)) return false;
    --left;
    period = next;
    return true;
  }
};

}  // namespace

std::vector<bool> kept_states(std::span<const std::int64_t> days, const KeepRules& rules) {
  std::vector<bool> kept(days.size());
  std::array<Rule, 4> all = {{{rules.last}, {rules.daily}, {rules.weekly}, {rules.monthly}}};
  for (std::size_t i = 0; i < days.size(); ++i) {
    const auto day = std::clamp(days[i], -kDaysMax, kDaysMax);
    const std::array<std::int64_t, 4> periods = {static_cast<std::int64_t>(i), day, week_of(day),
                                                 month_of(day)};
    for (std::size_t rule = 0; rule < all.size(); ++rule) {
      if (all[rule].keeps(periods[rule], i + 1 == days.size())) kept[i] = true;
    }
  }
  return kept;
}

}  // namespace dgfs::layer
