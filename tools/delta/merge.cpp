// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/merge.h"

#include <fmt/format.h>

#include <vector>

#include "delta/control/closing_wait.h"
#include "delta/control/control.h"
#include "delta/merge/merge_report.h"
#include "delta/merge/offline_merge.h"
#include "storage/posix/resolved_path.h"
#include "tools/build/summary.h"
#include "tools/cli/progress_bar.h"
#include "tools/delta/live_job.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

constexpr LiveJob kMergeJob{"merge", "merging", "merged", delta::kAskMergeState,
                            delta::kAskCancelMerge};

std::vector<std::string> names_in(const Answer& answer, const char* member) {
  std::vector<std::string> names;
  if (const auto list = answer.get_child_optional(member)) {
    for (const auto& [key, value] : *list) names.push_back(value.data());
  }
  return names;
}

std::string needs_text(const Answer& result) {
  const auto needs = names_in(result, "needs");
  if (needs.empty()) return "no other file";
  std::string text;
  for (const std::string& name : needs) text += (text.empty() ? "" : ", ") + shell_quoted(name);
  return text;
}

void print_plan(const Session& session, const std::string& directory, const Answer& result) {
  session.print(fmt::format("{}: would pack {} in {}, and take up to {} of the disk\n",
                            session.shown(directory),
                            size_text(result.get<std::uint64_t>("packed_bytes", 0)),
                            counted(result.get<std::uint64_t>("packed_files", 0), "file"),
                            size_text(result.get<std::uint64_t>("peak_bytes", 0))));
  if (const auto largest = result.get_child_optional("largest")) {
    for (const auto& [key, file] : *largest) {
      session.print(fmt::format("{:>10}  {}\n", size_text(file.get<std::uint64_t>("bytes", 0)),
                                printable(file.get<std::string>("path", ""))));
    }
  }
  if (const auto unsealed = result.get<std::uint64_t>("unsealed_bytes", 0); unsealed != 0) {
    session.print(
        fmt::format("not looked at: about {} of changes since the last seal, which a merge "
                    "takes in, too; a file that has some may be packed whole\n",
                    size_text(unsealed)));
  }
}

// @param result  outcome_json()
int print_result(const Session& session, const std::string& directory,
                 const MergeDeltaOptions& options, const std::string& json, const Answer& result) {
  if (options.json) {
    session.print(json + "\n");
  } else if (options.request.dry_run) {
    print_plan(session, directory, result);
  } else if (!options.quiet) {
    session.print(fmt::format("{}: merged {} in {}; {} instead of {}; {} needs {}\n",
                              session.shown(directory),
                              counted(result.get<std::uint64_t>("changes", 0), "change"),
                              minutes_text(result.get<std::uint64_t>("took_ms", 0)),
                              size_text(result.get<std::uint64_t>("bytes_after", 0)),
                              size_text(result.get<std::uint64_t>("bytes_before", 0)),
                              printable(result.get<std::string>("base", "")), needs_text(result)));
  }
  if (const auto reason = result.get<std::string>("unremoved", ""); !reason.empty()) {
    session.complain(directory, "files that nothing needs are still there: " + reason);
  }
  return kExitDone;
}

std::string question_of(const merge::MergeRequest& request) {
  std::string question(delta::kAskMerge);
  if (request.to) question += " to=" + *request.to;
  if (request.repack.all) question += " repack=all";
  if (request.repack.dead_percent) {
    question += fmt::format(" repack={}", *request.repack.dead_percent);
  }
  if (request.dry_run) question += " dry_run";
  return question;
}

// Of an error that is about the merge, and not about what was asked for.
std::string_view consequence_of(const Error& error) {
  constexpr std::string_view kNothing = "nothing was merged";
  const bool is_refused =
      error.kind() == ErrorKind::kInvalidArgument || error.kind() == ErrorKind::kNotFound;
  return is_refused || error.text().ends_with(kNothing) ? std::string_view() : kNothing;
}

int merge_here(const Session& session, const std::string& directory,
               const MergeDeltaOptions& options) {
  merge::BaseSource source;
  source.directory = directory;
  source.image_path = *options.image_path;
  const auto open = options.image_options.open_options(session);
  source.volume_paths = open.volume_paths;
  source.warn = open.warn;
  builder::BuildOptions build;
  ProgressBar bar(session.io(), options.quiet || options.json);
  build.progress = [&](const builder::Progress& now) { show_progress(bar, now); };
  build.stop = &session.io().stop;
  delta::ClosingWait closing(directory, [&](const std::string& line) { session.complain(line); });
  merge::MergeRequest request = options.request;
  request.image_path = storage::resolved_path(*options.image_path).value_or("");
  auto merged = merge::merge_offline(session.env(), source, request, build);
  while (!merged && merged.error().kind() == ErrorKind::kBusy && !session.should_stop() &&
         closing.wait()) {
    merged = merge::merge_offline(session.env(), source, request, build);
  }
  bar.clear();
  if (!merged) return session.fail(merged.error(), consequence_of(merged.error()));
  const auto json = merge::outcome_json(merged.value()).text();
  const auto result = parsed_answer(json);
  return print_result(session, directory, options, json, result ? *result : Answer());
}

}  // namespace

int merge_delta(const Session& session, const std::string& directory,
                const MergeDeltaOptions& options) {
  if (options.cancels) return cancel_job(session, directory, kMergeJob);
  if (const auto answer = ask_mount(session, directory, question_of(options.request))) {
    if (!*answer) return session.fail(answer->error());
    const auto begun = parsed_answer(answer->value());
    const auto number = begun ? begun->get<std::uint64_t>("number", 0) : 0;
    const auto ended =
        watch_job(session, directory, kMergeJob, number, options.quiet || options.json,
                  options.request.dry_run
                      ? "a merge has begun meanwhile; ask again once it has ended"
                      : "another merge has begun since; how this one ended is in the log");
    return ended ? print_result(session, directory, options, ended->json, ended->result)
                 : kExitFailed;
  }
  if (!options.image_path) {
    return session.fail(
        Error(ErrorKind::kInvalidArgument, 6953,
              shell_quoted(directory) + " is not mounted; name its image with --image"));
  }
  return merge_here(session, directory, options);
}

}  // namespace dgfs::tools
