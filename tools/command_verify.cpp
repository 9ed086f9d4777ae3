// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs verify: reads everything and tells what is damaged.
#include <fmt/format.h>

#include "reader/verify.h"
#include "tools/command.h"
#include "tools/image_argument.h"
#include "tools/json.h"
#include "tools/quoting.h"
#include "tools/report_cap.h"
#include "tools/verification.h"

namespace dgfs::tools {
namespace {

struct VerifyCommand {
  const Session& session;
  bool quiet = false;
  bool json = false;
  ReportCap files = {};
  ReportCap index_places = {};

  void damaged(const std::string& path, const Error& error) {
    if (json) {
      JsonObject line;
      session.print(line.add("damaged", path).add("reason", error.message()).line());
    } else if (files.take()) {
      session.print(
          fmt::format("damaged: {}: {}\n", shell_quoted(path), printable(error.message())));
    }
  }

  void damaged_index(const Error& error) {
    if (json) {
      JsonObject line;
      session.print(line.add("damaged_index", error.message()).line());
    } else if (index_places.take()) {
      session.print(fmt::format("damaged: index: {}\n", printable(error.message())));
    }
  }

  void summary(const reader::VerifyReport& report) const {
    if (json) {
      JsonObject line;
      line.add("sound", report.sound())
          .add("files", report.files)
          .add("damaged_files", report.damaged_files)
          .add("damaged_index_places", report.damaged_index_places)
          .add("content_bytes", report.content_bytes)
          .add("index_copies", std::uint64_t{report.index_copies});
      session.print(line.line());
    } else if (!quiet || !report.sound()) {
      if (const auto rest = index_places.rest("in the index")) session.print(*rest + "\n");
      if (const auto rest = files.rest("in files")) session.print(*rest + "\n");
      session.print(summary_text(report) + "\n");
    }
  }
};

Manual manual() {
  return {.paragraphs = {kJsonHelp},
          .examples = {{"dgfs verify tree.dgfs", "Reads everything, with a progress bar."},
                       {"dgfs verify -q tree.dgfs || echo damaged",
                        "Prints nothing where all is well."}},
          .exit_statuses = {{0, "Every byte is as it was written."},
                            {1, "There is damage, or the image cannot be opened."},
                            {2, "Wrong usage."}},
          .see_also = {"dgfs-info(1)", "dgfs-extract(1)"}};
}

}  // namespace

int run_verify(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "verify");
  OptionParser options({"dgfs verify", "IMAGE",
                        "Reads and checks every byte of an image and of both copies of its index. "
                        "Of damage to files, and likewise to the index, the first 100 places are "
                        "listed and the others counted; --json lists all."});
  ImageOptions image_options;
  reader::VerifyOptions verify;
  bool quiet = false;
  bool json = false;
  image_options.add_to(options);
  options.number("-j,--jobs", "N", "Reading threads (default: one per core)", verify.jobs);
  options.flag("-q,--quiet", "Print damage only, and no progress", quiet);
  options.flag("--json", "Print JSON objects, one a line, the summary last", json);
  options.manual(manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 1, 1);
  if (exit_code) return *exit_code;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;

  VerifyCommand command{session, quiet, json};
  verify.damaged_file = [&](const std::string& path, const Error& error) {
    command.damaged(path, error);
  };
  verify.damaged_index = [&](const Error& error) { command.damaged_index(error); };
  const Result<reader::VerifyReport> report = verify_with_progress(session, *image, verify, quiet);
  if (!report) return session.fail(report.error());
  command.summary(report.value());
  return report.value().sound() ? kExitDone : kExitFailed;
}

}  // namespace dgfs::tools
