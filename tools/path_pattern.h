// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Operands like 'src/*.c': no shell can expand them inside an image.
#pragma once

#include <string>
#include <vector>

#include "reader/image.h"

namespace dgfs::tools {

/// What the manual says about it.
inline constexpr char kPatternHelp[] =
    "A PATH that holds *, ? or [...] and is no name in the image stands for all paths that fit, as "
    "in a shell; quote it, so that the shell leaves it alone. Hidden names fit only a pattern that "
    "begins with a dot.";

/// Each operand that names nothing in the image but holds wildcards is replaced by the paths that
/// fit it, in the order of their bytes. One that fits nothing stays, to be reported as missing.
/// Reads the directories that wildcards stand in.
[[nodiscard]] std::vector<std::string> expand_patterns(const reader::Image& image,
                                                       const std::vector<std::string>& operands);

}  // namespace dgfs::tools
