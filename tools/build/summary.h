// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Progress and summary of a build or a merge.
#pragma once

#include <string>

#include "base/json.h"
#include "builder/options.h"
#include "builder/report.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// Where the index goes; empty: only into the image.
[[nodiscard]] std::string index_path_of(const builder::BuildOptions& build);
void show_progress(ProgressBar& bar, const builder::Progress& now);
/// Prints a line for each output, and the time.
/// @param unit  of the rate: "files"
void print_summary(const Session& session, const builder::BuildOptions& build,
                   const builder::BuildReport& report, const char* unit);
[[nodiscard]] JsonObject summary_json(const builder::BuildOptions& build,
                                      const builder::BuildReport& report);

}  // namespace dgfs::tools
