// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::format {

using Uuid = std::array<std::uint8_t, 16>;

/// "6c1f0e2a-....": 8-4-4-4-12 lower-case hex.
[[nodiscard]] std::string uuid_text(const Uuid& uuid);
/// Accepts digits in upper case, too. Errors: kInvalidArgument.
[[nodiscard]] Result<Uuid> parse_uuid(std::string_view text);

}  // namespace dgfs::format
