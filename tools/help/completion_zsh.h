// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The completion script for zsh.
#pragma once

#include <span>
#include <string>

#include "tools/help/completion.h"

namespace dgfs::tools {

[[nodiscard]] std::string zsh_completion(std::span<const CompletedCommand> commands);

}  // namespace dgfs::tools
