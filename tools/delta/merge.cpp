// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <chrono>
#include <sstream>
#include <thread>
#include <vector>

#include "delta/control/closing_wait.h"
#include "delta/control/control.h"
#include "delta/merge/merge_report.h"
#include "delta/store/directory/delta_directory.h"
#include "storage/posix/resolved_path.h"
#include "tools/build/summary.h"
#include "tools/cli/progress_bar.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

using Answer = boost::property_tree::ptree;

// How often the mount is asked how far it is: at first often, since most merges are short.
constexpr std::chrono::milliseconds kIntervalMin{10};
constexpr std::chrono::milliseconds kIntervalMax{200};

std::optional<Answer> parsed(const std::string& text) {
  std::istringstream in(text);
  Answer answer;
  try {
    boost::property_tree::read_json(in, answer);
  } catch (const boost::property_tree::ptree_error&) {
    return std::nullopt;
  }
  return answer;
}

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

// "1:29"
std::string minutes_text(std::uint64_t milliseconds) {
  const auto seconds = (milliseconds + 500) / 1000;
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

void print_plan(const Session& session, const std::string& directory, const Answer& result) {
  session.print(fmt::format("{}: would pack {} in {}, and take up to {} of the disk\n",
                            session.shown(directory),
                            size_text(result.get<std::uint64_t>("packed_bytes", 0)),
                            counted(result.get<std::uint64_t>("packed_files", 0), "file"),
                            size_text(result.get<std::uint64_t>("peak_bytes", 0))));
  const auto largest = result.get_child_optional("largest");
  if (!largest) return;
  for (const auto& [key, file] : *largest) {
    session.print(fmt::format("{:>10}  {}\n", size_text(file.get<std::uint64_t>("bytes", 0)),
                              printable(file.get<std::string>("path", ""))));
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

// Waits for the merge of a mount.
class LiveWatch {
 public:
  LiveWatch(const Session& session, const std::string& directory, const MergeDeltaOptions& options)
      : session_(session), directory_(directory), options_(options) {}

  int run(std::uint64_t number) {
    ProgressBar bar(session_.io(), options_.quiet || options_.json);
    for (auto interval = kIntervalMin;; interval = std::min(2 * interval, kIntervalMax)) {
      const auto text = delta::ask_holder(directory_, delta::kAskMergeState);
      const auto state = text ? parsed(text.value()) : std::nullopt;
      if (!text || delta::is_closing(text.value()) || !state) {
        bar.clear();
        return session_.fail(Error(ErrorKind::kIo, 6950,
                                   "the mount ended; 'dgfs delta log' shows whether the merge was "
                                   "made before")
                                 .in_file(directory_));
      }
      const bool is_other = state->get<std::uint64_t>("number", 0) != number;
      if (is_other || !state->get<bool>("running", false)) {
        bar.clear();
        return tell_end(text.value(), *state, is_other);
      }
      if (session_.should_stop()) {
        bar.clear();
        session_.complain(directory_, "the merge goes on in the mount; --cancel ends it");
        return kExitFailed;
      }
      bar.update("merging", state->get<std::uint64_t>("percent", 0), 100);
      std::this_thread::sleep_for(interval);
    }
  }

 private:
  int tell_end(const std::string& text, const Answer& state, bool is_other) const {
    if (is_other) {
      session_.complain(directory_,
                        "another merge has begun since; how this one ended is in the log");
      return kExitFailed;
    }
    if (const auto reason = state.get_optional<std::string>("error")) {
      return session_.fail(Error(ErrorKind::kIo, 6951, *reason));
    }
    const auto result = state.get_child_optional("result");
    if (!result) {
      session_.complain("the mount gave an answer that is not understood");
      return kExitFailed;
    }
    return print_result(session_, directory_, options_, result_text(text), *result);
  }

  // The member "result", which is the last.
  static std::string result_text(const std::string& answer) {
    constexpr std::string_view kMember = "\"result\":";
    const auto at = answer.find(kMember);
    if (at == answer.npos) return answer;
    auto text = answer.substr(at + kMember.size());
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (!text.empty()) text.pop_back();  // the end of the answer
    return text;
  }

  const Session& session_;
  const std::string& directory_;
  const MergeDeltaOptions& options_;
};

// nullopt: no process answers that has the delta open for writing.
std::optional<Result<std::string>> ask(const std::string& directory, std::string_view question) {
  auto answer = delta::ask_holder(directory, question);
  if (!answer && answer.error().kind() != ErrorKind::kIo) return std::nullopt;
  if (answer && delta::is_closing(answer.value())) return std::nullopt;
  return answer;
}

// A mount that has just begun, or that is ending, does not answer yet, or any more.
std::optional<Result<std::string>> ask_patiently(const Session& session,
                                                 const std::string& directory,
                                                 std::string_view question) {
  delta::ClosingWait closing(directory, [&](const std::string& line) { session.complain(line); });
  for (;;) {
    if (auto answer = ask(directory, question)) return answer;
    const auto locked =
        delta::lock_manifest(session.env(), directory, delta::StoreAccess::kReadOnly);
    const bool is_in_use = !locked && locked.error().kind() == ErrorKind::kBusy;
    if (!is_in_use || session.should_stop() || !closing.wait()) return std::nullopt;
  }
}

int cancel(const Session& session, const std::string& directory) {
  const auto answer = ask(directory, delta::kAskCancelMerge);
  if (!answer) {
    return session.fail(Error(ErrorKind::kNotFound, 6952, "the delta is not mounted for writing")
                            .in_file(directory));
  }
  if (!*answer) return session.fail(answer->error());
  const auto state = parsed(answer->value());
  if (!state || !state->get<bool>("cancelled", false)) {
    session.complain(directory, "no merge is under way");
    return kExitFailed;
  }
  // It may be too late: then the merge is made.
  for (;;) {
    const auto text = delta::ask_holder(directory, delta::kAskMergeState);
    const auto now = text ? parsed(text.value()) : std::nullopt;
    if (now && now->get<bool>("running", false)) {
      std::this_thread::sleep_for(kIntervalMin);
      continue;
    }
    if (now && now->get_child_optional("result")) {
      session.complain(directory, "the merge had been made already");
      return kExitFailed;
    }
    session.print(
        fmt::format("{}: the merge was cancelled; nothing was merged\n", session.shown(directory)));
    return kExitDone;
  }
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
  if (!merged) return session.fail(merged.error(), "nothing was merged");
  const auto json = merge::outcome_json(merged.value()).text();
  const auto result = parsed(json);
  return print_result(session, directory, options, json, result ? *result : Answer());
}

}  // namespace

int merge_delta(const Session& session, const std::string& directory,
                const MergeDeltaOptions& options) {
  if (options.cancels) return cancel(session, directory);
  if (const auto answer = ask_patiently(session, directory, question_of(options.request))) {
    if (!*answer) return session.fail(answer->error());
    const auto begun = parsed(answer->value());
    const auto number = begun ? begun->get<std::uint64_t>("number", 0) : 0;
    return LiveWatch(session, directory, options).run(number);
  }
  if (!options.image_path) {
    return session.fail(
        Error(ErrorKind::kInvalidArgument, 6953, "is not mounted; name its image with --image")
            .in_file(directory));
  }
  return merge_here(session, directory, options);
}

}  // namespace dgfs::tools
