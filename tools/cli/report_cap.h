// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReportCap: limits the lines of one kind in a report for people. A failing disk has thousands of
// damaged places, and their number says more than the list. --json lists them all.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/text/size_text.h"

namespace dgfs::tools {

/// More lines than a person reads one by one.
inline constexpr std::uint64_t kReportedLinesMax = 100;

class ReportCap {
 public:
  /// Counts a line. Returns whether it is to be printed.
  [[nodiscard]] bool take() { return lines_++ < kReportedLinesMax; }
  /// "and 4,321 more in files (--json lists all)"; nullopt if all were printed.
  /// @param where  what the lines are about: "in files"
  /// @param lister  the option or command that prints them all
  [[nodiscard]] std::optional<std::string> rest(std::string_view where,
                                                std::string_view lister = "--json") const {
    if (lines_ <= kReportedLinesMax) return std::nullopt;
    return fmt::format("and {} more {} ({} lists all)", grouped(lines_ - kReportedLinesMax), where,
                       lister);
  }

 private:
  std::uint64_t lines_ = 0;
};

}  // namespace dgfs::tools
