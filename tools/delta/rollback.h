// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// Options of dgfs delta rollback. A value.
struct RollbackOptions {
  bool yes = false;      ///< does not ask
  bool dry_run = false;  ///< only lists what would be lost
  bool json = false;
};

/// Returns a delta that is not mounted to a state, after it has listed what is lost. Returns the
/// exit code.
[[nodiscard]] int roll_back_delta(const Session& session, const std::string& directory,
                                  const std::string& state, const RollbackOptions& options);

}  // namespace dgfs::tools
