// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/verification.h"

#include <fmt/format.h>

#include <utility>

#include "tools/cli/hole_notice.h"
#include "tools/cli/progress_bar.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {

Result<reader::VerifyReport> verify_with_progress(const Session& session,
                                                  const reader::Image& image,
                                                  reader::VerifyOptions options, bool quiet) {
  ProgressBar bar(session.io(), quiet);
  options.damaged_file = [&bar, tell = std::move(options.damaged_file)](const std::string& path,
                                                                        const Error& error) {
    bar.clear();
    tell(path, error);
  };
  options.damaged_index = [&bar, tell = std::move(options.damaged_index)](const Error& error) {
    bar.clear();
    tell(error);
  };
  options.progress = [&bar](const reader::VerifyProgress& now) {
    if (now.digested_bytes_total != 0) {  // hashing the zeros of holes takes time too
      return bar.update("verifying", now.digested_bytes, now.digested_bytes_total);
    }
    const bool has_contents = now.stored_bytes_total != 0;
    bar.update("verifying", has_contents ? now.stored_bytes : now.files, now.stored_bytes_total);
  };
  options.long_holes = [&session, &bar, quiet, jobs = options.jobs](const auto& holes) {
    if (quiet) return;
    bar.clear();
    tell_of_holes(session, holes, jobs, "leave --digest out to avoid that");
  };
  options.stop = &session.io().stop;
  return reader::verify(image, options);
}

std::string summary_text(const reader::VerifyReport& report) {
  if (report.sound()) {
    std::string text = fmt::format("no damage in {}, {}, {}", counted(report.files, "file"),
                                   size_text(report.content_bytes),
                                   counted(report.index_copies, "index copy", "index copies"));
    if (report.right_digests != 0) text += ", " + counted(report.right_digests, "correct digest");
    return text;
  }
  std::string text =
      fmt::format("{} of {} damaged", grouped(report.damaged_files), counted(report.files, "file"));
  if (report.damaged_index_places != 0) {
    text += ", index damaged in " + counted(report.damaged_index_places, "place");
  }
  return text;
}

}  // namespace dgfs::tools
