// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The parser of what follows the paths of dgfs find.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/find/expression.h"

namespace dgfs::tools {

/// Parses what follows the paths; an expression without an action prints. The tests refer to
/// `run`. Errors: kInvalidArgument, its text fit for "dgfs find: TEXT"; -newer: those of
/// find_node().
[[nodiscard]] Result<FindExpression> parse_find(std::span<const std::string> words, FindRun& run);

/// All tests and actions that an expression may name, for completion: "-name", "-print0".
[[nodiscard]] std::vector<std::string> expression_words();

/// Whether the word begins an expression (or is wrong where a path is expected).
[[nodiscard]] bool begins_expression(std::string_view word);

}  // namespace dgfs::tools
