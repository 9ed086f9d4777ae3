// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The description of the mount options, for dgfs mount and for mount.dgfs.
#pragma once

#include <string>
#include <vector>

#include "tools/help/command_description.h"

namespace dgfs::tools {

[[nodiscard]] HelpSection mount_option_section();

/// "allow_other", "uid=": options for completion.
[[nodiscard]] std::vector<std::string> mount_option_names();

/// mount.dgfs(8), which parses its options itself.
[[nodiscard]] CommandDescription mount_helper_description();

}  // namespace dgfs::tools
