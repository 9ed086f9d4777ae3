// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Dates as people write them for find -newermt.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::tools {

/// "2025-07-09", "20250709", "2025-07-09 11:20", "2025-07-09T11:20:00.5", "11:20" (of today), each
/// in local time or with Z, "UTC" or +02:00 after it; "@SECONDS"; "now", "today", "yesterday",
/// "tomorrow"; "3 days ago" in seconds, minutes, hours, days, weeks, months or years.
/// Errors: kInvalidArgument, also for days and times that do not exist.
[[nodiscard]] Result<Time> parse_date(const std::string& text, const Time& now);

}  // namespace dgfs::tools
