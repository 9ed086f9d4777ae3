// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Parses the expression after the paths of dgfs find.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/find/expression.h"

namespace dgfs::tools {

/// Parses the expression; one without an action prints. The tests refer to `run`. Errors:
/// kInvalidArgument, with a text fit for "dgfs find: TEXT"; for -newer those of find_node().
[[nodiscard]] Result<FindExpression> parse_find(std::span<const std::string> words, FindRun& run);

/// All tests and actions that an expression may name, for completion: "-name", "-print0".
[[nodiscard]] std::vector<std::string> expression_words();

/// Whether the word begins an expression (or is wrong in place of a path).
[[nodiscard]] bool begins_expression(std::string_view word);

}  // namespace dgfs::tools
