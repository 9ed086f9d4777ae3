// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Times as people and machines write and read them. Local times follow the variable TZ.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::tools {

/// strftime(3) in local time, with %N for the nanoseconds (nine digits).
[[nodiscard]] std::string format_time(const Time& time, std::string_view format);
/// "2025-07-09 11:20:00.123456789 +0200", as stat and ls --time-style=full-iso print.
[[nodiscard]] std::string full_iso_time(const Time& time);
/// "2025-07-09T11:20:00.123456789Z", for JSON.
[[nodiscard]] std::string utc_time(const Time& time);

/// Days since 1970-01-01 in local time; outside of the years that the system knows, in UTC.
[[nodiscard]] std::int64_t local_day(const Time& time);

/// How ls shows times: one format for the last half year, one for all others.
struct TimeStyle {
  std::string recent;
  std::string other;
};
/// full-iso, long-iso, iso, locale or +FORMAT, also after "posix-", which matters only in the
/// locale POSIX; nullopt for anything else.
[[nodiscard]] std::optional<TimeStyle> time_style(std::string_view name);
[[nodiscard]] std::string styled_time(const Time& time, const Time& now, const TimeStyle& style);

enum class TimeZone : std::uint8_t { kLocal, kUtc };
/// Seconds since 1970 of a date and time of day. nullopt if no calendar or clock shows it: for
/// February 30, a leap second, a time that daylight saving skips.
[[nodiscard]] std::optional<std::int64_t> exact_seconds(const std::tm& parts, TimeZone zone);

/// Seconds since 1970: "@SECONDS", "2025-07-09", "20250709", "2025-07-09 11:20",
/// "2025-07-09T11:20:00Z"; UTC. Errors: kInvalidArgument, also for days that do not exist.
[[nodiscard]] Result<std::int64_t> parse_utc_time(const std::string& text);

}  // namespace dgfs::tools
