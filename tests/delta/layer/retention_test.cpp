// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/retention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using layer::KeepRules;
using layer::kept_states;

constexpr std::int64_t kMonday = 20'787;  // 2026-11-30
constexpr std::int64_t kSecondsOfDay = 86'400;

using Days = std::vector<std::int64_t>;

// Of the states that stay.
std::vector<std::size_t> kept(const Days& days, const KeepRules& rules) {
  std::vector<std::size_t> indexes;
  const auto stays = kept_states(days, rules);
  EXPECT_EQ(stays.size(), days.size());
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (stays[i]) indexes.push_back(i);
  }
  return indexes;
}

using Indexes = std::vector<std::size_t>;

TEST(Retention, WithoutRulesNothingStays) {
  EXPECT_TRUE(KeepRules().keep_nothing());
  EXPECT_FALSE((KeepRules{.monthly = 1}).keep_nothing());
  EXPECT_EQ(kept({kMonday, kMonday - 1}, {}), Indexes{});
  EXPECT_EQ(kept({}, {.last = 3}), Indexes{});
}

TEST(Retention, TheLastAreTheNewest) {
  const Days days(5, kMonday);
  EXPECT_EQ(kept(days, {.last = 1}), Indexes{0});
  EXPECT_EQ(kept(days, {.last = 3}), (Indexes{0, 1, 2}));
  EXPECT_EQ(kept(days, {.last = 100}), (Indexes{0, 1, 2, 3, 4}));
}

TEST(Retention, EachDayKeepsItsNewestAndDaysWithoutAStateDoNotCount) {
  const Days days{kMonday, kMonday, kMonday - 1, kMonday - 9, kMonday - 9, kMonday - 40};
  EXPECT_EQ(kept(days, {.daily = 1}), Indexes{0});
  EXPECT_EQ(kept(days, {.daily = 2}), (Indexes{0, 2}));
  EXPECT_EQ(kept(days, {.daily = 3}), (Indexes{0, 2, 3}));
}

TEST(Retention, WeeksBeginOnMonday) {
  const Days days{kMonday, kMonday - 1, kMonday - 7, kMonday - 8, kMonday - 30};
  EXPECT_EQ(kept(days, {.weekly = 1}), Indexes{0});
  EXPECT_EQ(kept(days, {.weekly = 2}), (Indexes{0, 1}));
  EXPECT_EQ(kept(days, {.weekly = 3}), (Indexes{0, 1, 3}));
}

TEST(Retention, MonthsAreThoseOfTheCalendar) {
  // 2026-11-30, -11-01, -10-31, -10-01, -09-30
  const Days days{kMonday, kMonday - 29, kMonday - 30, kMonday - 60, kMonday - 61};
  EXPECT_EQ(kept(days, {.monthly = 2}), (Indexes{0, 2}));
}

TEST(Retention, ARuleThatFindsTooFewKeepsTheOldest) {
  const Days days{kMonday, kMonday - 1, kMonday - 1, kMonday - 1};
  EXPECT_EQ(kept(days, {.daily = 2}), (Indexes{0, 1}));
  EXPECT_EQ(kept(days, {.daily = 3}), (Indexes{0, 1, 3}));
}

TEST(Retention, RulesAddUp) {
  const Days days{kMonday, kMonday, kMonday - 1, kMonday - 8, kMonday - 40, kMonday - 41};
  EXPECT_EQ(kept(days, {.last = 2, .weekly = 2}), (Indexes{0, 1, 2}));
  EXPECT_EQ(kept(days, {.daily = 1, .monthly = 2}), (Indexes{0, 4}));
}

TEST(Retention, TimesThatNoCalendarHasDoNoHarm) {
  EXPECT_EQ(kept({INT64_MAX, 0, INT64_MIN}, {.daily = 3, .weekly = 3, .monthly = 3}),
            (Indexes{0, 1, 2}));
}

// A rule said once more: the newest state of each of the first `count` periods, and the oldest
// state if there are fewer.
void keep(const Days& days, std::uint64_t count,
          const std::function<std::string(std::size_t)>& period, std::set<std::size_t>& stays) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < days.size() && seen.size() < count; ++i) {
    if (seen.insert(period(i)).second) stays.insert(i);
  }
  if (seen.size() < count && !days.empty()) stays.insert(days.size() - 1);
}

std::string date(std::int64_t day, const char* format) {
  const std::time_t seconds = day * kSecondsOfDay;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

TEST(Retention, IsTheSameAsTheRulesSaidOnceMore) {
  Random random(5501);
  for (int round = 0; round < 3000; ++round) {
    Days days(random.below(30));
    const auto spread = 1 + random.below(200);
    for (auto& day : days) {
      day = kMonday + static_cast<std::int64_t>(random.below(spread)) -
            (random.one_in(4) ? kMonday : 0);
    }
    std::sort(days.rbegin(), days.rend());
    const auto some = [&] { return random.one_in(2) ? 0 : random.below(9); };
    const KeepRules rules{some(), some(), some(), some()};
    std::set<std::size_t> stays;
    keep(
        days, rules.last, [](std::size_t i) { return std::to_string(i); }, stays);
    keep(
        days, rules.daily, [&](std::size_t i) { return date(days[i], "%F"); }, stays);
    keep(
        days, rules.weekly, [&](std::size_t i) { return date(days[i], "%G-%V"); }, stays);
    keep(
        days, rules.monthly, [&](std::size_t i) { return date(days[i], "%Y-%m"); }, stays);
    ASSERT_EQ(kept(days, rules), Indexes(stays.begin(), stays.end())) << round;
  }
}

}  // namespace
}  // namespace dgfs::test
