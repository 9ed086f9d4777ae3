// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The unit in which ls and du print sizes: --block-size and the variables for it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "storage/env.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {

struct BlockUnit {
  std::uint64_t bytes = 1024;
  std::string letters;                 ///< printed after each number
  SizeUnits scale = SizeUnits::kNone;  ///< else a unit is chosen per number, and `bytes` is unused
};

/// Parses a unit as du -B does: "4096", "2K" and "0x400" print bare numbers; "K", "MiB" and "kB"
/// are also printed after each number; "human-readable" and "si", or their beginnings, scale. A
/// leading apostrophe asks for digit groups, which the locale C.UTF-8 lacks. Errors:
/// kInvalidArgument, also for 0.
[[nodiscard]] Result<BlockUnit> parse_block_unit(const std::string& text);

/// The unit if no option sets it: from the command's own variable, BLOCK_SIZE or BLOCKSIZE, else
/// 512 bytes with POSIXLY_CORRECT, else 1024. A value that cannot be parsed counts as 1024.
/// @param own_variable  "LS_BLOCK_SIZE"
[[nodiscard]] BlockUnit default_block_unit(const storage::Env& env,
                                           const std::string& own_variable);

/// "3M": rounded up.
[[nodiscard]] std::string text_in_units(std::uint64_t bytes, const BlockUnit& unit);

}  // namespace dgfs::tools
