// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What ls and du count sizes in: --block-size and the variables that say the same.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "storage/env.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {

struct BlockUnit {
  std::uint64_t bytes = 1024;
  std::string letters;                 ///< what stands behind each number
  SizeUnits scale = SizeUnits::kNone;  ///< else the unit fits each number, and `bytes` is nothing
};

/// As -B of du: "4096", "2K" and "0x400" print bare numbers, "K", "MiB" and "kB" stand behind each
/// number; "human-readable" and "si", or their beginnings, scale. An apostrophe before it asks for
/// groups of digits, which the locale C.UTF-8 has none of. Errors: kInvalidArgument, for 0 as well.
[[nodiscard]] Result<BlockUnit> parse_block_unit(const std::string& text);

/// What a command counts in that is told nothing: what its own variable says, BLOCK_SIZE or
/// BLOCKSIZE, 512 bytes with POSIXLY_CORRECT, else 1024. What cannot be read counts as 1024.
/// @param own_variable  "LS_BLOCK_SIZE"
[[nodiscard]] BlockUnit default_block_unit(const storage::Env& env,
                                           const std::string& own_variable);

/// "3M": rounded up.
[[nodiscard]] std::string text_in_units(std::uint64_t bytes, const BlockUnit& unit);

}  // namespace dgfs::tools
