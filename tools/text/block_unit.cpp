// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/block_unit.h"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "tools/text/ascii.h"

namespace dgfs::tools {
namespace {

/// Writes the number in `text` with decimal digits: "0x400" and "02000" become 1024. Returns texts
/// with too large a number unchanged.
std::string with_decimal_number(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const auto number = std::strtoull(text.c_str(), &end, 0);
  const std::string rest = end;
  if (errno != 0 || (!rest.empty() && is_digit(rest[0]))) return "?";
  return std::to_string(number) + rest;
}

std::uint64_t divided_up(std::uint64_t bytes, std::uint64_t unit) {
  return bytes / unit + (bytes % unit != 0 ? 1 : 0);
}

}  // namespace

Result<BlockUnit> parse_block_unit(const std::string& text) {
  const std::string plain = text.starts_with('\'') ? text.substr(1) : text;
  const auto begins = [&plain](std::string_view word) {
    return !plain.empty() && word.starts_with(plain);
  };
  if (begins("human-readable")) return BlockUnit{1, "", SizeUnits::kBinary};
  if (begins("si")) return BlockUnit{1, "", SizeUnits::kDecimal};
  const bool counted = !plain.empty() && is_digit(plain[0]);
  const Result<std::uint64_t> bytes =
      parse_size(counted ? with_decimal_number(plain) : "1" + plain);
  if (plain.empty() || !bytes || bytes.value() == 0) {
    return Error(ErrorKind::kInvalidArgument, 6003,
                 fmt::format("'{}' is not a unit; write it like 512, 64K, M, kB or MiB", text));
  }
  BlockUnit unit{bytes.value(), counted ? "" : plain};
  if (counted) return unit;
  char& letter = unit.letters[0];
  letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  if (letter == 'K' && plain.size() == 2) letter = 'k';  // "KB": 1000, but K would mean 1024
  return unit;
}

BlockUnit default_block_unit(const storage::Env& env, const std::string& own_variable) {
  for (const std::string& name :
       {own_variable, std::string("BLOCK_SIZE"), std::string("BLOCKSIZE")}) {
    const auto value = env.variable(name);
    if (!value) continue;
    const Result<BlockUnit> unit = parse_block_unit(*value);
    return unit ? unit.value() : BlockUnit();
  }
  return BlockUnit{env.variable("POSIXLY_CORRECT") ? 512U : 1024U, ""};
}

std::string text_in_units(std::uint64_t bytes, const BlockUnit& unit) {
  if (unit.scale != SizeUnits::kNone) return human_size(bytes, unit.scale);
  return std::to_string(divided_up(bytes, unit.bytes)) + unit.letters;
}

}  // namespace dgfs::tools
