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
/// Of a dry run: prints what would be packed and kept, and the largest files.
void print_plan(const Session& session, const builder::BuildOptions& build,
                const builder::BuildReport& report);
/// Volumes of other images that a new image needs: "a.dgfs and b.dgfs", or "a.dgfs, b.dgfs and 3
/// more files".
[[nodiscard]] std::string volumes_text(const builder::BuildReport& report);
/// The same as an object.
[[nodiscard]] JsonObject plan_json(const builder::BuildOptions& build,
                                   const builder::BuildReport& report);
[[nodiscard]] JsonObject summary_json(const builder::BuildOptions& build,
                                      const builder::BuildReport& report);

}  // namespace dgfs::tools
