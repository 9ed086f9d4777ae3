// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// --compress none|zstd[:LEVEL].
#pragma once

#include <optional>
#include <string>

#include "builder/options.h"

namespace dgfs::tools {

/// Parses the value of --compress; nullopt for "none". Errors: kInvalidArgument.
[[nodiscard]] Result<std::optional<builder::Compression>> parse_compression(
    const std::string& text);

}  // namespace dgfs::tools
