// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Shared by verify and build --verify: reads everything, with progress, and sums up the result in
// one sentence.
#pragma once

#include <string>

#include "reader/check/verify.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// reader::verify() with a progress bar, until the session is interrupted.
/// @param options  its callbacks report damage; the bar is cleared before each call
/// Errors: those of reader::verify().
[[nodiscard]] Result<reader::VerifyReport> verify_with_progress(const Session& session,
                                                                const reader::Image& image,
                                                                reader::VerifyOptions options,
                                                                bool quiet);

/// "2 of 1,204 files damaged, index damaged in 1 place", or "no damage in 1,204 files, 9.71 GB,
/// 2 index copies".
[[nodiscard]] std::string summary_text(const reader::VerifyReport& report);

}  // namespace dgfs::tools
