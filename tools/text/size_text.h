// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sizes and numbers as people write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::tools {

enum class SizeUnits : std::uint8_t {
  kNone,     ///< plain numbers
  kBinary,   ///< powers of 1024, as ls -h
  kDecimal,  ///< powers of 1000, as ls --si
};

/// As ls -h and du -h: rounded up, "1.2K", "84M", "1023"; "1.2k" in decimal units.
[[nodiscard]] std::string human_size(std::uint64_t bytes, SizeUnits units = SizeUnits::kBinary);
/// For summaries: powers of 1000 with three digits, "9.71 GB", "84.0 MB", "512 B".
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// "1,204,311".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "1,204,311 files", "1 file"; `plural` is needed only if it is not singular + "s".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view singular,
                                  std::string_view plural = {});
/// "16.2 s", "2 min 5 s", "1 h 2 min".
[[nodiscard]] std::string duration_text(std::uint64_t elapsed_ns);

/// "65536", "64K", "64KiB" (powers of 1024), "64KB" (powers of 1000); units up to E, any case of
/// the first letter. Errors: kInvalidArgument.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);
/// Decimal digits only. Errors: kInvalidArgument.
[[nodiscard]] Result<std::uint64_t> parse_number(std::string_view text);

}  // namespace dgfs::tools
