// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>
#include <vector>

#include "delta/layer/retention.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// What dgfs delta drop is to do. A value.
struct DropOptions {
  std::vector<std::string> states;  ///< to drop; or:
  layer::KeepRules rules;           ///< which of the states with names or pins stay
  bool dry_run = false;
  bool json = false;
};

/// Takes the names of states away, in the mount if the delta is mounted for writing. Returns the
/// exit code.
[[nodiscard]] int drop_states(const Session& session, const std::string& directory,
                              const DropOptions& options);

}  // namespace dgfs::tools
