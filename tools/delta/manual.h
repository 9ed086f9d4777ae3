// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "tools/help/command_description.h"

namespace dgfs::tools {

/// The manual page of dgfs delta.
[[nodiscard]] Manual delta_manual();

}  // namespace dgfs::tools
