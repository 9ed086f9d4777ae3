// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// Options of dgfs delta seal. A value.
struct SealOptions {
  std::string name;  ///< of the state; empty: none
  /// Returns once the layer is closed: the files of the state do not change any more.
  bool waits = false;
  bool json = false;
};

/// dgfs delta seal: makes what a delta holds a layer, and prints the new state. Returns the exit
/// code.
[[nodiscard]] int seal_delta(const Session& session, const std::string& directory,
                             const SealOptions& options);

}  // namespace dgfs::tools
