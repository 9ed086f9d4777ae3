// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "delta/control/closing_wait.h"
#include "delta/control/control.h"
#include "delta/layer/join.h"
#include "delta/layer/join_report.h"
#include "delta/store/directory/states.h"
#include "tools/cli/progress_bar.h"
#include "tools/delta/live_job.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

constexpr LiveJob kJoinJob{"join", "joining", "joined", delta::kAskJoinState,
                           delta::kAskCancelJoin};
constexpr std::string_view kNothing = "nothing was joined";

std::uint64_t bytes_before(const layer::JoinOutcome& outcome) {
  std::uint64_t bytes = 0;
  for (const layer::JoinDone& join : outcome.joins) bytes += join.bytes_before;
  return bytes;
}

// One call of the command.
class Compact {
 public:
  Compact(const Session& session, const std::string& directory, const CompactOptions& options)
      : session_(session), directory_(directory), options_(options) {}

  int run() {
    const auto manifest = delta::read_present_manifest(session_.env(), directory_);
    if (!manifest) return session_.fail(manifest.error());
    const auto plan = layer::planned_joins(session_.env(), directory_, manifest.value());
    if (!plan) return session_.fail(plan.error());
    if (plan.value().joins.empty()) return tell_nothing(manifest.value(), plan.value());
    if (options_.json && options_.dry_run) {
      session_.print(layer::join_json(plan.value()).line());
      return kExitDone;
    }
    if (!options_.json && !options_.quiet) tell_plan(plan.value());
    if (options_.dry_run) return kExitDone;
    if (const auto answer = ask_mount(session_, directory_, delta::kAskJoin)) {
      return join_in_mount(*answer);
    }
    return join_here(bytes_before(plan.value()));
  }

 private:
  // A delta with so many layers takes no further seal, which is worth a failure.
  int tell_nothing(const delta::Manifest& manifest, const layer::JoinOutcome& plan) const {
    const Error reason = layer::nothing_to_join(manifest, directory_);
    if (delta::layers_of(manifest) >= delta::kLayersMax) return session_.fail(reason);
    if (options_.json) {
      session_.print(layer::join_json(plan).line());
    } else if (!options_.quiet) {
      session_.print(fmt::format("{}: {}\n", session_.shown(directory_), reason.text()));
    }
    return kExitDone;
  }

  void tell_plan(const layer::JoinOutcome& plan) const {
    std::size_t layers = 0;
    std::uint64_t bytes_needed = 0;
    for (const layer::JoinDone& join : plan.joins) {
      layers += join.layers.size();
      bytes_needed = std::max(bytes_needed, join.bytes_needed);
    }
    session_.print(fmt::format(
        "{}: {} {} of {} into {}, which needs up to {} of the disk\n", session_.shown(directory_),
        options_.dry_run ? "would join" : "joining", counted(layers, "layer"),
        size_text(bytes_before(plan)), plan.joins.size(), size_text(bytes_needed)));
  }

  int join_in_mount(const Result<std::string>& answer) const {
    if (!answer) return session_.fail(answer.error(), kNothing);
    const auto begun = parsed_answer(answer.value());
    const auto number = begun ? begun->get<std::uint64_t>("number", 0) : 0;
    const auto ended =
        watch_job(session_, directory_, kJoinJob, number, options_.quiet || options_.json,
                  "another join has begun since; 'dgfs delta log' shows the layers");
    return ended ? print_result(ended->json, ended->result) : kExitFailed;
  }

  int join_here(std::uint64_t total_bytes) const {
    layer::JoinOptions join;
    join.past_page_cache = true;
    join.hooks.stop = [this] { return session_.should_stop(); };
    ProgressBar bar(session_.io(), options_.quiet || options_.json);
    std::uint64_t read_bytes = 0;
    join.hooks.before_read = [&](std::uint64_t bytes) {
      read_bytes = std::min(read_bytes + bytes, total_bytes);
      bar.update("joining", read_bytes, total_bytes);
    };
    delta::ClosingWait closing(directory_,
                               [this](const std::string& line) { session_.complain(line); });
    auto joined = layer::join_offline(session_.env(), directory_, join);
    while (!joined && joined.error().kind() == ErrorKind::kBusy && !session_.should_stop() &&
           closing.wait()) {
      joined = layer::join_offline(session_.env(), directory_, join);
    }
    bar.clear();
    if (!joined) return session_.finish(session_.fail(joined.error()));
    const auto json = layer::join_json(joined.value()).text();
    const auto result = parsed_answer(json);
    return print_result(json, result ? *result : Answer());
  }

  // @param result  join_json()
  int print_result(const std::string& json, const Answer& result) const {
    if (options_.json) {
      session_.print(json + "\n");
    } else if (!options_.quiet) {
      std::uint64_t before = 0;
      std::uint64_t after = 0;
      std::size_t layers = 0;
      std::size_t joins = 0;
      if (const auto list = result.get_child_optional("joins")) {
        for (const auto& [key, join] : *list) {
          before += join.get<std::uint64_t>("bytes_before", 0);
          after += join.get<std::uint64_t>("bytes_after", 0);
          layers += join.get<std::size_t>("layers", 0);
          ++joins;
        }
      }
      session_.print(fmt::format("{}: joined {} into {} in {}; {} instead of {}\n",
                                 session_.shown(directory_), counted(layers, "layer"), joins,
                                 minutes_text(result.get<std::uint64_t>("took_ms", 0)),
                                 size_text(after), size_text(before)));
    }
    if (const auto reason = result.get<std::string>("unremoved", ""); !reason.empty()) {
      session_.complain(directory_, "layers that nothing needs are still there: " + reason);
    }
    return kExitDone;
  }

  const Session& session_;
  const std::string& directory_;
  const CompactOptions& options_;
};

}  // namespace

int compact_delta(const Session& session, const std::string& directory,
                  const CompactOptions& options) {
  if (options.cancels) return cancel_job(session, directory, kJoinJob);
  return Compact(session, directory, options).run();
}

}  // namespace dgfs::tools
