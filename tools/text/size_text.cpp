// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/size_text.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>

#include "tools/text/ascii.h"

namespace dgfs::tools {
namespace {

constexpr std::string_view kUnitLetters = "KMGTPE";

/// Quotient rounded up, in 128 bits because callers scale the dividend.
std::uint64_t divide_up(unsigned __int128 dividend, std::uint64_t divisor) {
  return static_cast<std::uint64_t>((dividend + divisor - 1) / divisor);
}

}  // namespace

std::string human_size(std::uint64_t bytes, SizeUnits units) {
  const std::uint64_t step = units == SizeUnits::kDecimal ? 1000 : 1024;
  if (units == SizeUnits::kNone || bytes < step) return std::to_string(bytes);
  std::uint64_t unit = step;
  std::size_t letter = 0;
  while (letter + 1 < kUnitLetters.size() && divide_up(bytes, unit) >= step) {
    unit *= step;
    ++letter;
  }
  const bool small_k = units == SizeUnits::kDecimal && letter == 0;
  const char suffix = small_k ? 'k' : kUnitLetters[letter];
  const std::uint64_t tenths = divide_up(static_cast<unsigned __int128>(bytes) * 10, unit);
  if (tenths < 100) return fmt::format("{}.{}{}", tenths / 10, tenths % 10, suffix);
  return fmt::format("{}{}", divide_up(bytes, unit), suffix);
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t letter = 0;
  // 999.5 would print as 1000 with three digits.
  while (letter + 1 < kUnitLetters.size() && value >= 999.5) {
    value /= 1000;
    ++letter;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}B", value, decimals, kUnitLetters[letter]);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural) {
  if (number == 1) return fmt::format("1 {}", singular);
  if (plural.empty()) return fmt::format("{} {}s", grouped(number), singular);
  return fmt::format("{} {}", grouped(number), plural);
}

std::string duration_text(std::uint64_t elapsed_ns) {
  const std::uint64_t seconds = elapsed_ns / 1'000'000'000;
  if (seconds >= 3600) return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
  if (seconds >= 60) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  const double exact = static_cast<double>(elapsed_ns) / 1e9;
  return fmt::format("{:.{}f} s", exact, exact < 9.95 ? 2 : 1);
}

Result<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || parsed != end) {
    return Error(ErrorKind::kInvalidArgument, 6001, fmt::format("'{}' is not a number", text));
  }
  return value;
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto invalid = [&] {
    return Error(ErrorKind::kInvalidArgument, 6002,
                 fmt::format("'{}' is not a size; write it like 512, 64K, 10MB or 1GiB", text));
  };
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const Result<std::uint64_t> number = parse_number(text.substr(0, digits));
  if (!number) return invalid();
  std::string_view suffix = text.substr(digits);
  if (suffix.empty()) return number;
  const std::size_t letter =
      kUnitLetters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0]))));
  suffix.remove_prefix(1);
  const bool decimal = suffix == "B";
  if (letter == std::string_view::npos || (!suffix.empty() && !decimal && suffix != "iB")) {
    return invalid();
  }
  unsigned __int128 value = number.value();
  for (std::size_t i = 0; i <= letter; ++i) {
    value *= decimal ? 1000 : 1024;
    if (value > std::numeric_limits<std::uint64_t>::max()) return invalid();
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace dgfs::tools
