// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/date_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <optional>
#include <string_view>

#include "tools/text/ascii.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

/// Removes ".5" or ",5" from the front and returns it in nanoseconds; 0 if there is no fraction.
std::uint32_t take_fraction(std::string_view& rest) {
  if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',') || !is_digit(rest[1])) return 0;
  rest.remove_prefix(1);
  std::uint32_t nanoseconds = 0;
  for (std::uint32_t unit = 100'000'000; !rest.empty() && is_digit(rest[0]); unit /= 10) {
    nanoseconds += static_cast<std::uint32_t>(rest[0] - '0') * unit;
    rest.remove_prefix(1);
  }
  return nanoseconds;
}

/// "+02:00", "-0330", "+2", "Z", "UTC": seconds east of Greenwich.
std::optional<std::int64_t> parse_zone(std::string_view text) {
  if (text == "Z" || text == "UTC" || text == "GMT") return 0;
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::int64_t sign = text[0] == '-' ? -1 : 1;
  std::string digits(text.substr(1));
  std::erase(digits, ':');
  if (digits.size() <= 2) digits += "00";
  if (digits.size() > 4 || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return std::nullopt;
  }
  const std::int64_t number = std::stoll(digits);
  if (number > 2400 || number % 100 >= 60) return std::nullopt;
  return sign * (number / 100 * 3600 + number % 100 * 60);
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::int64_t local_seconds(std::tm parts) {
  parts.tm_isdst = -1;
  return ::mktime(&parts);
}

std::size_t leading_digits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

/// Sets `parts` to midnight of "2025-07-09" or "20250709", or of today if a time of day comes
/// first. Returns the rest after the date; nullptr if there is no date.
const char* take_day(const std::string& text, const Time& now, std::tm& parts) {
  // strptime would read "25-07-09" as a day of the year 25.
  const std::size_t digits = leading_digits(text);
  if (digits == 4) return ::strptime(text.c_str(), "%Y-%m-%d", &parts);
  if (digits == 8) return ::strptime(text.c_str(), "%Y%m%d", &parts);
  const bool clock = (digits == 1 || digits == 2) && text[digits] == ':';
  const std::time_t seconds = now.seconds;
  if (!clock || ::localtime_r(&seconds, &parts) == nullptr) return nullptr;
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  return text.c_str();
}

/// A calendar date, a time of day, or both, with or without a zone.
std::optional<Time> parse_calendar(const std::string& text, const Time& now) {
  std::tm parts{};
  const char* rest = take_day(text, now, parts);
  if (rest == nullptr) return std::nullopt;
  const bool parted = *rest == ' ' || *rest == 'T';
  if (rest == text.c_str() || (parted && is_digit(rest[1]))) {
    const char* const clock = parted ? rest + 1 : rest;
    rest = ::strptime(clock, "%H:%M:%S", &parts);
    if (rest == nullptr) rest = ::strptime(clock, "%H:%M", &parts);
    if (rest == nullptr) return std::nullopt;
  }
  std::string_view tail(rest);
  const std::uint32_t nanoseconds = take_fraction(tail);
  tail = without_spaces(tail);
  const std::optional<std::int64_t> zone = tail.empty() ? 0 : parse_zone(tail);
  if (!zone) return std::nullopt;
  const auto seconds = exact_seconds(parts, tail.empty() ? TimeZone::kLocal : TimeZone::kUtc);
  if (!seconds) return std::nullopt;
  return Time{*seconds - *zone, nanoseconds};
}

/// "@1751360400.5".
std::optional<Time> parse_seconds(std::string_view text) {
  if (!text.starts_with('@')) return std::nullopt;
  text.remove_prefix(1);
  std::int64_t seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc{}) return std::nullopt;
  const bool negative = text.starts_with('-');
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const std::uint32_t nanoseconds = take_fraction(text);
  if (!text.empty()) return std::nullopt;
  if (negative && nanoseconds != 0) return Time{seconds - 1, 1'000'000'000 - nanoseconds};
  return Time{seconds, nanoseconds};
}

/// Moves a calendar date back by so many units.
bool move_back(std::tm& parts, std::string_view unit, int count) {
  if (unit.ends_with('s') && unit.size() > 1) unit.remove_suffix(1);
  if (unit == "sec" || unit == "second") {
    parts.tm_sec -= count;
  } else if (unit == "min" || unit == "minute") {
    parts.tm_min -= count;
  } else if (unit == "hour") {
    parts.tm_hour -= count;
  } else if (unit == "day") {
    parts.tm_mday -= count;
  } else if (unit == "week") {
    parts.tm_mday -= 7 * count;
  } else if (unit == "month") {
    parts.tm_mon -= count;
  } else if (unit == "year") {
    parts.tm_year -= count;
  } else {
    return false;
  }
  return true;
}

/// "now", "yesterday", "tomorrow", "3 days ago".
std::optional<Time> parse_relative(std::string_view text, const Time& now) {
  if (text == "now" || text == "today") return now;
  std::tm parts{};
  const std::time_t seconds = now.seconds;
  if (::localtime_r(&seconds, &parts) == nullptr) return std::nullopt;
  int count = text == "tomorrow" ? -1 : 1;
  std::string_view unit = "day";
  if (text != "yesterday" && text != "tomorrow") {
    if (!text.ends_with(" ago")) return std::nullopt;
    text = without_spaces(text.substr(0, text.size() - 4));
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failure != std::errc{}) count = 1;
    if (count < 0) return std::nullopt;
    const auto digits = failure == std::errc{} ? static_cast<std::size_t>(end - text.data()) : 0;
    unit = without_spaces(text.substr(digits));
  }
  constexpr int kCountMax = 1'000'000;  // keeps sums of parts within an int
  if (count > kCountMax || !move_back(parts, unit, count)) return std::nullopt;
  return Time{local_seconds(parts), now.nanoseconds};
}

}  // namespace

Result<Time> parse_date(const std::string& text, const Time& now) {
  const std::string trimmed(without_spaces(text));
  if (const auto time = parse_calendar(trimmed, now)) return *time;
  if (const auto time = parse_seconds(trimmed)) return *time;
  if (const auto time = parse_relative(trimmed, now)) return *time;
  return Error(ErrorKind::kInvalidArgument, 6025,
               fmt::format("'{}' is not a date; write it like 2025-07-09, '2025-07-09 11:20', "
                           "'3 days ago' or @1751360400",
                           text));
}

}  // namespace dgfs::tools
