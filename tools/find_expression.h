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
#include "tools/command.h"
#include "tools/user_names.h"

namespace dgfs::tools {

/// One entry, as tests and actions see it. The views are valid during the call.
struct FindItem {
  std::string_view path;   ///< as printed: begins with the start
  std::string_view start;  ///< as the user wrote it
  std::size_t depth = 0;   ///< below the start
  const reader::Node& node;
};

/// State of one run, shared by all tests and actions.
struct FindRun {
  const Session& session;
  const reader::Image& image;
  UserNames users;
  bool json = false;
  bool prune = false;  ///< set by -prune: do not go into this directory
  bool quit = false;   ///< set by -quit
  bool failed = false;

  void complain(std::string_view path, const Error& error);
};

using FindTest = std::function<bool(const FindItem&)>;

struct FindExpression {
  FindTest test;
  std::size_t depth_min = 0;
  std::size_t depth_max = std::numeric_limits<std::size_t>::max();
  bool prunes = false;
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
/// @param unit_seconds  86400 for -mtime, 60 for -mmin
[[nodiscard]] Result<FindTest> age_test(std::string_view text, std::int64_t unit_seconds, Time now);
[[nodiscard]] Result<FindTest> permission_test(std::string_view text);
[[nodiscard]] Result<FindTest> type_test(std::string_view text);

// Actions.
[[nodiscard]] FindTest print_action(FindRun& run, char end);
[[nodiscard]] FindTest list_action(FindRun& run);
[[nodiscard]] Result<FindTest> printf_action(FindRun& run, std::string_view format);

/// Last component, as -name sees it: "/" for the root written so.
[[nodiscard]] std::string_view last_component(std::string_view path);

}  // namespace dgfs::tools
