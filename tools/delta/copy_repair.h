// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta repair: makes a copy of a delta usable that was taken while the delta was open for
// writing.
#pragma once

#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// Keeps what the copy has, if each block and each value that its newest superblock and its log
/// name is there; otherwise changes nothing. Returns an exit code.
/// @param quiet  prints no progress
[[nodiscard]] int repair_copy(const Session& session, const std::string& directory, bool quiet);

}  // namespace dgfs::tools
