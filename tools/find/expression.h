// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The expression of dgfs find: tests and actions on one entry, joined by operators. The parser
// makes one function of it.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reader/image.h"
#include "tools/cli/session.h"
#include "tools/find/access_check.h"
#include "tools/paths/image_path.h"
#include "tools/text/user_names.h"
#include "tools/text/wildcards.h"

namespace dgfs::tools {

/// One entry, as tests and actions see it. The views are valid during the call.
struct FindItem {
  std::string_view path;   ///< as printed: begins with the start
  std::string_view start;  ///< as the user wrote it
  std::size_t depth = 0;   ///< below the start
  const reader::Node& node;
};

/// Columns that -ls gives to a number or name; they grow with what it prints.
struct ListWidths {
  std::size_t inode = 9, blocks = 6, owner = 8, group = 8, major = 3, minor = 3, size = 8;
};

/// State of one run, shared by all tests and actions.
struct FindRun {
  const Session& session;
  const reader::Image& image;
  UserNames users;
  bool json = false;
  LinksFollowed links = LinksFollowed::kNone;
  bool prune = false;  ///< set by -prune: do not go into this directory
  bool quit = false;   ///< set by -quit
  bool failed = false;
  ListWidths list_widths = {};

  void complain(std::string_view path, const Error& error);
  /// Whether a link in the place of `item` was followed.
  [[nodiscard]] bool follows(const FindItem& item) const {
    return links == LinksFollowed::kAll || (links == LinksFollowed::kOperands && item.depth == 0);
  }
  /// @param above  what the link at `path` leads to, if not to itself
  void complain_loop(std::string_view path, const std::optional<std::string>& above);
};

using FindTest = std::function<bool(const FindItem&)>;

struct FindExpression {
  FindTest test;
  std::size_t depth_min = 0;
  std::size_t depth_max = std::numeric_limits<std::size_t>::max();
  bool prunes = false;
  bool depth_first = false;                ///< a directory after what it holds
  std::optional<std::string> starts_file;  ///< of -files0-from: where to begin
};

/// Parses what follows the paths; an expression without an action prints. The tests refer to
/// `run`. Errors: kInvalidArgument, its text fit for "dgfs find: TEXT"; -newer: those of
/// find_node().
[[nodiscard]] Result<FindExpression> parse_find(std::span<const std::string> words, FindRun& run);

/// All tests and actions that an expression may name, for completion: "-name", "-print0".
[[nodiscard]] std::vector<std::string> expression_words();

/// Whether the word begins an expression (or is wrong where a path is expected).
[[nodiscard]] bool begins_expression(std::string_view word);

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
/// Bits of regcomp's GNU syntaxes by their name in -regextype. kInvalidArgument.
[[nodiscard]] Result<unsigned long> regex_syntax(std::string_view name);
/// Whether the whole path fits.
[[nodiscard]] Result<FindTest> regex_test(const std::string& pattern, unsigned long syntax,
                                          bool any_case);

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

/// The type of file system that a mounted image has: -fstype, %F.
inline constexpr std::string_view kFileSystemType = "fuse.dgfs";

/// Type letter of what a link leads to, and of anything else; 'N' where it leads nowhere, 'L' in a
/// loop.
[[nodiscard]] char followed_type(FindRun& run, const FindItem& item);

// Actions.
[[nodiscard]] FindTest print_action(FindRun& run, char end);
[[nodiscard]] FindTest list_action(FindRun& run);
[[nodiscard]] Result<FindTest> printf_action(FindRun& run, std::string_view format);

/// Last component, as -name sees it: "/" for the root written so.
[[nodiscard]] std::string_view last_component(std::string_view path);

}  // namespace dgfs::tools
