// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <tuple>

#include "tools/text/ascii.h"

namespace dgfs::tools {
namespace {

/// The age below which ls calls a time recent: half an average Gregorian year.
constexpr std::int64_t kRecentSeconds = 31'556'952 / 2;
constexpr std::int64_t kSecondsOfDay = 86'400;

/// Replaces %N, which strftime lacks; "%%N" is not a %N.
std::string with_nanoseconds(std::string_view format, std::uint32_t nanoseconds) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      out += format[i];
    } else if (format[++i] == 'N') {
      out += fmt::format("{:09}", nanoseconds);
    } else {
      out += {'%', format[i]};
    }
  }
  return out;
}

std::string formatted(const std::tm& parts, const std::string& format) {
  if (format.empty()) return {};
  std::string out(64, '\0');
  // strftime returns 0 for "too small", but also for "nothing to print" (%Z, %p): limit the growth.
  while (out.size() <= 16384) {
    const std::size_t length = std::strftime(out.data(), out.size(), format.c_str(), &parts);
    if (length != 0) return out.substr(0, length);
    out.resize(out.size() * 4);
  }
  return {};
}

}  // namespace

std::string format_time(const Time& time, std::string_view format) {
  const std::time_t seconds = time.seconds;
  std::tm parts{};
  // For years that tm cannot hold, stat and ls print the number of seconds.
  if (::localtime_r(&seconds, &parts) == nullptr) return std::to_string(time.seconds);
  return formatted(parts, with_nanoseconds(format, time.nanoseconds));
}

// The day as if its local date were one of UTC.
std::int64_t local_day(const Time& time) {
  const std::time_t seconds = time.seconds;
  std::tm parts{};
  const bool is_known = ::localtime_r(&seconds, &parts) != nullptr;
  const auto local_seconds = is_known ? std::int64_t{::timegm(&parts)} : time.seconds;
  const auto day = local_seconds / kSecondsOfDay;
  return local_seconds % kSecondsOfDay < 0 ? day - 1 : day;
}

std::string full_iso_time(const Time& time) { return format_time(time, "%Y-%m-%d %H:%M:%S.%N %z"); }

std::string utc_time(const Time& time) {
  const std::time_t seconds = time.seconds;
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) {
    return std::string("@").append(std::to_string(time.seconds));
  }
  return formatted(parts, with_nanoseconds("%Y-%m-%dT%H:%M:%S.%NZ", time.nanoseconds));
}

std::optional<TimeStyle> time_style(std::string_view name) {
  constexpr std::string_view kPosix = "posix-";
  while (name.starts_with(kPosix)) name.remove_prefix(kPosix.size());
  if (name == "full-iso") return TimeStyle{"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M:%S.%N %z"};
  if (name == "long-iso") return TimeStyle{"%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"};
  if (name == "iso") return TimeStyle{"%m-%d %H:%M", "%Y-%m-%d "};
  if (name == "locale") return TimeStyle{"%b %e %H:%M", "%b %e  %Y"};
  if (!name.starts_with('+')) return std::nullopt;
  const std::size_t line_end = name.find('\n');
  const std::string other(name.substr(1, line_end == name.npos ? line_end : line_end - 1));
  if (line_end == name.npos) return TimeStyle{other, other};
  if (name.find('\n', line_end + 1) != name.npos) return std::nullopt;
  return TimeStyle{std::string(name.substr(line_end + 1)), other};
}

std::string styled_time(const Time& time, const Time& now, const TimeStyle& style) {
  const bool recent = now.seconds - kRecentSeconds < time.seconds && time <= now;
  return format_time(time, recent ? style.recent : style.other);
}

std::optional<std::int64_t> exact_seconds(const std::tm& parts, TimeZone zone) {
  std::tm moved = parts;  // mktime moves dates beyond a month, hour or minute into the next one
  moved.tm_isdst = -1;
  const std::int64_t seconds = zone == TimeZone::kUtc ? ::timegm(&moved) : ::mktime(&moved);
  const auto fields = [](const std::tm& time) {
    return std::tuple(time.tm_year, time.tm_mon, time.tm_mday, time.tm_hour, time.tm_min,
                      time.tm_sec);
  };
  if (fields(moved) != fields(parts)) return std::nullopt;
  return seconds;
}

Result<std::int64_t> parse_utc_time(const std::string& text) {
  const bool counted = text.starts_with('@');
  const char* const begin = text.data() + (counted ? 1 : 0);
  const char* const end = text.data() + text.size();
  std::int64_t seconds = 0;
  const auto [parsed, failure] = std::from_chars(begin, end, seconds);
  // Eight digits more likely mean a day than seconds of 1970.
  const bool day = text.size() == 8 && std::all_of(text.begin(), text.end(), is_digit);
  if (!day && failure == std::errc{} && parsed == end) return seconds;
  constexpr std::array kFormats = {"%Y%m%d", "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
                                   "%Y-%m-%dT%H:%M:%SZ"};
  for (const char* format : kFormats) {
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), format, &parts);
    const bool whole_year = day || text.find('-') == 4;
    if (counted || !whole_year || rest == nullptr || *rest != '\0') continue;
    if (const auto exact = exact_seconds(parts, TimeZone::kUtc)) return *exact;
  }
  return Error(
      ErrorKind::kInvalidArgument, 6020,
      fmt::format("'{}' is not a time; write it like @1751360400 or 2025-07-01 09:00 (UTC)", text));
}

}  // namespace dgfs::tools
