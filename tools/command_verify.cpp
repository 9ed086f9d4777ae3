// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs verify: reads everything and reports damage.
#include <fmt/format.h>

#include "base/json.h"
#include "reader/check/index_mend.h"
#include "reader/check/verify.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/report_cap.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/info/verification.h"
#include "tools/paths/image_argument.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

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
          .add("index_copies", std::uint64_t{report.index_copies})
          .add("right_digests", report.right_digests);
      session.print(line.line());
    } else if (!quiet || !report.sound()) {
      if (const auto rest = index_places.rest("in the index")) session.print(*rest + "\n");
      if (const auto rest = files.rest("in files")) session.print(*rest + "\n");
      session.print(summary_text(report) + "\n");
    }
  }
};

/// Mends both copies of the index, and reports what was done.
class IndexFix {
 public:
  IndexFix(const Session& session, VerifyCommand& command) : session_(session), command_(command) {}

  /// Returns an exit code if the command ends here.
  std::optional<int> run(const std::string& path, const ImageOptions& options) {
    reader::MendOptions mending;
    mending.damaged = [this](const Error& error) { command_.damaged_index(error); };
    mending.stop = &session_.io().stop;
    auto open = options.open_options(session_);
    open.warn = {};  // `damaged` reports each place
    const auto mended = reader::mend_index(session_.env(), path, open, mending);
    if (!mended) return session_.fail(mended.error(), advice(mended.error()));
    report(mended.value());
    // Verification then reports what is still damaged, with its own count.
    command_.index_places = {};
    return std::nullopt;
  }

 private:
  static std::string_view advice(const Error& error) {
    return error.kind() == ErrorKind::kCorrupt ? "dgfs salvage saves what is left" : "";
  }

  void report(const reader::MendReport& mended) const {
    if (mended.is_written) {
      tell(mended.index_path, mended.index_pieces,
           mended.was_missing ? "written anew" : "rewritten");
    }
    if (mended.image_pieces != 0 && !mended.image_error) {
      tell(mended.image_path, mended.image_pieces, "its copy of the index mended in place");
    }
    if (mended.image_error) {
      session_.complain("the copy of the index in the image was not changed: " +
                        mended.image_error->message());
    }
  }

  void tell(const std::string& path, std::uint64_t pieces, const char* how) const {
    if (command_.json) {
      JsonObject line;
      session_.print(line.add("mended", path).add("damaged_pieces", pieces).line());
    } else if (!command_.quiet) {
      const auto what = pieces == 0 ? "" : counted(pieces, "damaged piece") + ", ";
      session_.print(fmt::format("mended: {}: {}{}\n", shell_quoted(path), what, how));
    }
  }

  const Session& session_;
  VerifyCommand& command_;
};

Manual verify_manual() {
  return {
      .paragraphs =
          {"--fix-index needs one intact copy of each piece of the index, in IMAGE.idx (or "
           "--index) or at the end of the image. If the index file is damaged or missing, a "
           "new one replaces it in one step, so that an interruption loses nothing. Damaged pieces "
           "of the copy in the image are then overwritten. An interruption leaves some of them "
           "damaged, but the index file still serves in their place. Contents and header pages "
           "are never changed. If both copies have lost the same piece, nothing is written; "
           "dgfs salvage then saves what is left. The damaged places are listed, and then the "
           "image is verified as without the option.",
           kJsonHelp},
      .examples = {{"dgfs verify tree.dgfs", "Reads everything, with a progress bar."},
                   {"dgfs verify -q tree.dgfs || echo damaged", "Prints nothing if all is well."},
                   {"dgfs verify tree.dgfs.idx --volume /disk2/tree.2 --only-volume 2",
                    "Checks one volume alone, with only the index beside it."},
                   {"dgfs verify --fix-index tree.dgfs",
                    "Mends both copies of the index, then reads everything."}},
      .exit_statuses = {{0, "Every byte is as it was written, or was mended."},
                        {1, "There is damage, or the image cannot be opened."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-info(1)", "dgfs-extract(1)", "dgfs-salvage(1)", "dgfs-volume(1)"}};
}

}  // namespace

int run_verify(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "verify");
  OptionParser options({"dgfs verify", "IMAGE",
                        "Reads and checks every byte of an image and of both copies of its index. "
                        "Lists the first 100 damaged places in files, and the first 100 in the "
                        "index, and counts the others; --json lists all."});
  ImageOptions image_options;
  reader::VerifyOptions verify;
  bool quiet = false;
  bool json = false;
  bool fix_index = false;
  image_options.add_to(options);
  options.flag("--fix-index", "First mend each copy of the index from the other one", fix_index);
  options.number("-j,--jobs", "N", "Reading threads (0, the default: one per core)", verify.jobs);
  options.flag("--digest",
               "Also compare contents with the digests in the index "
               "(dgfs build --digest)",
               verify.digests);
  options.number("--only-volume", "N",
                 "Check only volume N and the contents in it; other volumes may be missing",
                 verify.volume);
  options.flag("-q,--quiet", "Print only damage, and no progress", quiet);
  options.flag("--json", "Print JSON objects, one per line, the summary last", json);
  options.manual(verify_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 1, 1);
  if (exit_code) return *exit_code;
  VerifyCommand command{session, quiet, json};
  if (fix_index) {
    const auto ended = IndexFix(session, command).run(operands[0], image_options);
    if (ended) return *ended;
  }
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;
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
