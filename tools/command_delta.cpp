// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta: what the store of a delta is made of, and whether it is sound.
#include <fmt/format.h>

#include "base/json.h"
#include "delta/store/store_check.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/report_cap.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/info/store_report.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

class DeltaCommand {
 public:
  struct Options {
    bool json = false;
    bool quiet = false;
    bool scan = false;
  };

  DeltaCommand(const Session& session, std::string directory, const Options& options)
      : session_(session), directory_(std::move(directory)), options_(options) {}

  /// Facts go to the output, damage to the error output.
  int info() {
    std::string damaged_list;
    const auto walked = walk(options_.scan, [&](const Error& error) {
      if (options_.json) {
        damaged_list += (damaged_list.empty() ? "" : ",") + json_string(error.message());
      } else if (cap_.take()) {
        session_.complain("damaged: " + error.message());
      }
    });
    if (!walked) return session_.fail(walked.error());
    const delta::StoreReport& report = walked.value();
    if (options_.json) {
      JsonObject object;
      object.add("store", directory_);
      add_store(object, report, options_.scan);
      session_.print(object.add_raw("damaged", "[" + damaged_list + "]").line());
    } else {
      if (const auto rest = cap_.rest("in the store")) session_.complain("damaged: " + *rest);
      session_.print(fmt::format("{:<11} {}\n", "store", shell_quoted(directory_)));
      session_.print(store_text(report, options_.scan));
    }
    return report.damaged_places == 0 ? kExitDone : kExitFailed;
  }

  int check() {
    const auto walked = walk(true, [this](const Error& error) { tell(error); });
    if (!walked) return session_.fail(walked.error());
    const delta::StoreReport& report = walked.value();
    const bool is_sound = report.damaged_places == 0;
    if (options_.json) {
      session_.print(summary(report).line());
    } else if (!options_.quiet || !is_sound) {
      if (const auto rest = cap_.rest("in the store")) session_.print(*rest + "\n");
      if (const auto remark = check_remark(report); !remark.empty()) {
        session_.print("superblocks: " + remark + "\n");
      }
      session_.print(check_summary(report) + "\n");
    }
    return is_sound ? kExitDone : kExitFailed;
  }

 private:
  Result<delta::StoreReport> walk(bool reads_runs, const delta::Damage::Sink& damaged) {
    ProgressBar bar(session_.io(), options_.quiet);
    delta::StoreCheckOptions how;
    how.reads_runs = reads_runs;
    how.locks = true;
    how.damaged = [&](const Error& error) {
      bar.clear();
      damaged(error);
    };
    how.progress = [&](const delta::CheckProgress& now) {
      if (now.total_bytes == 0) return bar.update("counting", now.nodes, 0);
      bar.update("checking", now.read_bytes, now.total_bytes);
    };
    how.stop = &session_.io().stop;
    return delta::check_store(session_.env(), directory_, how);
  }

  void tell(const Error& error) {
    if (options_.json) {
      JsonObject line;
      line.add("damaged", error.file());
      if (!error.section().empty()) line.add("section", error.section());
      if (error.offset()) line.add("offset", *error.offset());
      session_.print(line.add("reason", error.text()).line());
    } else if (cap_.take()) {
      session_.print(fmt::format("damaged: {}\n", printable(error.message())));
    }
  }

  static JsonObject summary(const delta::StoreReport& report) {
    JsonObject line;
    return line.add("sound", report.damaged_places == 0)
        .add("damaged_places", report.damaged_places)
        .add("unread_nodes", report.unread_nodes)
        .add("whole_superblocks", report.whole_superblocks)
        .add("nodes", report.nodes)
        .add("basements", report.basements)
        .add("waiting_runs", report.waiting_runs)
        .add("points", report.basement_points + report.waiting_points)
        .add("range_tombstones", report.waiting_tombstones)
        .add("log_groups", report.log_groups)
        .add("block_bytes", report.block_bytes());
  }

  const Session& session_;
  const std::string directory_;
  const Options options_;
  ReportCap cap_;
};

// Completion of shells leaves slashes at the end.
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Manual delta_manual() {
  return {
      .paragraphs =
          {"DIR holds the store of a delta: what is written beside an image. No mount writes one "
           "yet. Nothing is changed, and leave to read its files is all that is needed. A store "
           "that is open for writing can be neither checked nor shown, and nobody can write to it "
           "meanwhile.",
           "'info' tells from superblocks, log and nodes what the store is made of; --scan reads "
           "all blocks, too, and counts what is in them. 'check' reads everything: checksums, the "
           "order of keys, that each key lies where it is looked for, that each block is used "
           "once, and that the log has no gap. It goes on behind damage, but not below a node that "
           "is lost; the first 100 places are listed and the others counted, --json lists all. A "
           "bit that has flipped in the last group of the log looks as if that had been cut short, "
           "and is not told.",
           kStoreHelp, kJsonHelp},
      .examples = {{"dgfs delta info tree.delta", "Shows what the store is made of."},
                   {"dgfs delta check tree.delta", "Reads everything, with a progress bar."},
                   {"dgfs delta check -q tree.delta || echo damaged",
                    "Prints nothing where all is well."}},
      .exit_statuses = {{0, "What was read is sound."},
                        {1, "There is damage, the store is in use, or there is none."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-info(1)", "dgfs-verify(1)"}};
}

}  // namespace

int run_delta(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "delta");
  OptionParser parser({"dgfs delta", "info|check DIR",
                       "Shows what the store of a delta is made of, or checks every byte of it."});
  DeltaCommand::Options options;
  parser.flag("--scan", "With info: read all blocks, too, and count what is in them", options.scan);
  parser.flag("-q,--quiet", "Print no progress, and of a check damage only", options.quiet);
  parser.flag("--json", "Print JSON objects, one a line, of a check the summary last",
              options.json);
  parser.manual(delta_manual());
  const auto [operands, exit_code] = session.parse(parser, arguments, 2, 2);
  if (exit_code) return *exit_code;
  const bool checks = operands[0] == "check";
  if (!checks && operands[0] != "info") {
    return session.fail_usage(shell_quoted(operands[0]) + ": neither 'info' nor 'check'");
  }
  if (checks && options.scan) return session.fail_usage("check reads everything: no --scan");
  DeltaCommand command(session, without_slashes(operands[1]), options);
  return checks ? command.check() : command.info();
}

}  // namespace dgfs::tools
