// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/live_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/json_parser.hpp>
#include <chrono>
#include <sstream>
#include <thread>

#include "delta/control/closing_wait.h"
#include "delta/control/control.h"
#include "delta/store/directory/delta_directory.h"
#include "tools/cli/progress_bar.h"
#include "tools/paths/typed_path.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

// How often the mount is asked how far it is: at first often, since most jobs are short.
constexpr std::chrono::milliseconds kIntervalMin{10};
constexpr std::chrono::milliseconds kIntervalMax{200};

// nullopt: no process answers that has the delta open for writing.
std::optional<Result<std::string>> ask(const std::string& directory, std::string_view question) {
  auto answer = delta::ask_holder(directory, question);
  if (!answer && answer.error().kind() != ErrorKind::kIo) return std::nullopt;
  if (answer && delta::is_closing(answer.value())) return std::nullopt;
  return answer;
}

// The member "result", which is the last.
std::string result_text(const std::string& answer) {
  constexpr std::string_view kMember = "\"result\":";
  const auto at = answer.find(kMember);
  if (at == answer.npos) return answer;
  auto text = answer.substr(at + kMember.size());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) text.pop_back();  // the end of the answer
  return text;
}

std::optional<LiveEnd> end_of(const Session& session, const std::string& directory,
                              const std::string& text, const Answer& state) {
  if (const auto reason = state.get_optional<std::string>("error")) {
    static_cast<void>(
        session.fail(Error(ErrorKind::kIo, 6951, with_typed_path(*reason, directory))));
    return std::nullopt;
  }
  const auto result = state.get_child_optional("result");
  if (!result) {
    session.complain("the mount gave an answer that is not understood");
    return std::nullopt;
  }
  return LiveEnd{result_text(text), *result};
}

}  // namespace

std::optional<Answer> parsed_answer(const std::string& text) {
  std::istringstream in(text);
  Answer answer;
  try {
    boost::property_tree::read_json(in, answer);
  } catch (const boost::property_tree::ptree_error&) {
    return std::nullopt;
  }
  return answer;
}

std::string minutes_text(std::uint64_t milliseconds) {
  const auto seconds = (milliseconds + 500) / 1000;
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

std::optional<Result<std::string>> ask_mount(const Session& session, const std::string& directory,
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

std::optional<LiveEnd> watch_job(const Session& session, const std::string& directory,
                                 const LiveJob& job, std::uint64_t number, bool quiet,
                                 std::string_view other_text) {
  ProgressBar bar(session.io(), quiet);
  for (auto interval = kIntervalMin;; interval = std::min(2 * interval, kIntervalMax)) {
    const auto text = delta::ask_holder(directory, job.ask_state);
    const auto state = text ? parsed_answer(text.value()) : std::nullopt;
    if (!text || delta::is_closing(text.value()) || !state) {
      bar.clear();
      static_cast<void>(session.fail(
          Error(
              ErrorKind::kIo, 6950,
              fmt::format("the mount ended; 'dgfs delta log' shows whether the {} was made before",
                          job.noun))
              .in_file(directory)));
      return std::nullopt;
    }
    const bool is_other = state->get<std::uint64_t>("number", 0) != number;
    if (is_other || !state->get<bool>("running", false)) {
      bar.clear();
      if (!is_other) return end_of(session, directory, text.value(), *state);
      session.complain(directory, std::string(other_text));
      return std::nullopt;
    }
    if (session.should_stop()) {
      bar.clear();
      session.complain(directory,
                       fmt::format("the {} goes on in the mount; --cancel ends it", job.noun));
      return std::nullopt;
    }
    const auto total = state->get<std::uint64_t>("total_bytes", 0);
    if (total != 0) {
      bar.update(std::string(job.doing), state->get<std::uint64_t>("done_bytes", 0), total);
    }
    std::this_thread::sleep_for(interval);
  }
}

int cancel_job(const Session& session, const std::string& directory, const LiveJob& job) {
  const auto answer = ask(directory, job.ask_cancel);
  if (!answer) {
    return session.fail(
        Error(ErrorKind::kNotFound, 6952, shell_quoted(directory) + " is not mounted for writing"));
  }
  if (!*answer) return session.fail(answer->error());
  const auto state = parsed_answer(answer->value());
  if (!state || !state->get<bool>("cancelled", false)) {
    session.complain(directory, fmt::format("no {} is under way", job.noun));
    return kExitFailed;
  }
  // It may be too late: then the job is done.
  for (;;) {
    const auto text = delta::ask_holder(directory, job.ask_state);
    const auto now = text ? parsed_answer(text.value()) : std::nullopt;
    if (now && now->get<bool>("running", false)) {
      std::this_thread::sleep_for(kIntervalMin);
      continue;
    }
    if (now && now->get_child_optional("result")) {
      session.complain(directory, fmt::format("the {} had been made already", job.noun));
      return kExitFailed;
    }
    session.print(fmt::format("{}: the {} was cancelled; nothing was {}\n",
                              session.shown(directory), job.noun, job.done));
    return kExitDone;
  }
}

}  // namespace dgfs::tools
