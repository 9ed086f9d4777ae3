// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tests of find on one entry: its attributes, names, and what else the image says of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/find/access_check.h"
#include "tools/find/expression.h"
#include "tools/text/wildcards.h"

namespace dgfs::tools {

// Primaries with a value; they say what is wrong with it. kInvalidArgument.
/// "+N", "-N", "N".
struct Comparison {
  char sign = '=';  ///< '+' more than, '-' less than, '=' equal
  std::uint64_t number = 0;
  [[nodiscard]] bool holds(std::uint64_t value) const;
};
[[nodiscard]] Result<Comparison> parse_comparison(std::string_view text);
[[nodiscard]] Result<FindTest> size_test(std::string_view text);
/// What a test looks at: &reader::Node::mtime and so on.
using TimeMember = Time reader::Node::*;
enum class AgeUnit : std::uint8_t {
  kDays,     ///< -mtime: whole days, so that 1 means from 24 hours to 48
  kMinutes,  ///< -mmin: begun minutes, so that 1 means up to a minute
};
/// @param text  may have a fraction
/// @param now   what ages are counted from
[[nodiscard]] Result<FindTest> age_test(std::string_view text, TimeMember member, AgeUnit unit,
                                        const Time& now);
/// The end of the day: what -daystart counts ages from.
[[nodiscard]] Time end_of_day(const Time& now);
[[nodiscard]] Result<FindTest> permission_test(std::string_view text);
/// @param run  where links are to be followed (-xtype), else null
[[nodiscard]] Result<FindTest> type_test(std::string_view text, FindRun* run);

// Wildcards of names, paths and link targets.
[[nodiscard]] FindTest name_test(const std::string& pattern,
                                 WildcardCase letters = WildcardCase::kExact);
[[nodiscard]] FindTest path_test(const std::string& pattern,
                                 WildcardCase letters = WildcardCase::kExact);
[[nodiscard]] FindTest link_test(FindRun& run, const std::string& pattern,
                                 WildcardCase letters = WildcardCase::kExact);
[[nodiscard]] FindTest empty_test(FindRun& run);
/// Whether the user may do that with the entry, or what a link leads to.
[[nodiscard]] FindTest access_test(FindRun& run, Access wanted);

}  // namespace dgfs::tools
