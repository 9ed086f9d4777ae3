// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Asks the user before something is done that cannot be undone.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// Asks a question on the terminal, "QUESTION [y/N] ", and returns whether the answer was yes.
/// Errors: kPermission (the standard input is no terminal, so there is nobody to ask); those of
/// ToolIo::read_line.
[[nodiscard]] Result<bool> ask_user(const Session& session, std::string_view question);

}  // namespace dgfs::tools
