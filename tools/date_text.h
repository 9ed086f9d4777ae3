// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Dates as people write them for find -newermt.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::tools {

/// "2025-07-09", "2025-07-09 11:20", "2025-07-09T11:20:00.5", each in local time or with Z, "UTC"
/// or +02:00 after it; "@SECONDS"; "now", "today", "yesterday"; "3 days ago" in seconds, minutes,
/// hours, days, weeks, months or years. Errors: kInvalidArgument.
[[nodiscard]] Result<Time> parse_date(const std::string& text, const Time& now);

}  // namespace dgfs::tools
