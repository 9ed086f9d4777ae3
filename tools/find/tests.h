// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tests of find on one entry: its attributes, its names, and other facts in the image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/find/access_check.h"
#include "tools/find/expression.h"
#include "tools/text/wildcards.h"

namespace dgfs::tools {

// Tests with a value; errors (kInvalidArgument) say what is wrong with it.
/// "+N", "-N", "N".
struct Comparison {
  char sign = '=';  ///< '+' more than, '-' less than, '=' equal
  std::uint64_t number = 0;
  [[nodiscard]] bool holds(std::uint64_t value) const;
};
[[nodiscard]] Result<Comparison> parse_comparison(std::string_view text);
[[nodiscard]] Result<FindTest> size_test(std::string_view text);
/// The time that a test compares: &reader::Node::mtime and so on.
using TimeMember = Time reader::Node::*;
enum class AgeUnit : std::uint8_t {
  kDays,     ///< -mtime: whole days, so 1 means from 24 to 48 hours
  kMinutes,  ///< -mmin: started minutes, so 1 means up to a minute
};
/// @param text  may have a fraction
/// @param now   the time from which ages are counted
[[nodiscard]] Result<FindTest> age_test(std::string_view text, TimeMember member, AgeUnit unit,
                                        const Time& now);
/// The end of the day, from which -daystart counts ages.
[[nodiscard]] Time end_of_day(const Time& now);
[[nodiscard]] Result<FindTest> permission_test(std::string_view text);
/// @param run  set if links are followed (-xtype), else null
[[nodiscard]] Result<FindTest> type_test(std::string_view text, FindRun* run);

// Tests with wildcards for names, paths and link targets.
[[nodiscard]] FindTest name_test(const std::string& pattern,
                                 WildcardCase letters = WildcardCase::kExact);
[[nodiscard]] FindTest path_test(const std::string& pattern,
                                 WildcardCase letters = WildcardCase::kExact);
[[nodiscard]] FindTest link_test(FindRun& run, const std::string& pattern,
                                 WildcardCase letters = WildcardCase::kExact);
[[nodiscard]] FindTest empty_test(FindRun& run);
/// Whether the user may access the entry, or the target of a link, in that way.
[[nodiscard]] FindTest access_test(FindRun& run, Access wanted);

}  // namespace dgfs::tools
