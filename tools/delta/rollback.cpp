// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/rollback.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json.h"
#include "delta/control/closing_wait.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"
#include "delta/view/offline_rollback.h"
#include "tools/cli/question.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

using view::LostStore;

// "base" if it is the image alone.
std::string rollback_id(const delta::Manifest& manifest, std::size_t layers) {
  if (layers != 0) return delta::state_text(manifest.stores[layers - 1].layer.state);
  return manifest.base ? delta::state_text(manifest.base->state) : std::string(delta::kBaseState);
}

std::string rollback_name(const delta::Manifest& manifest, std::size_t layers) {
  if (layers != 0) return manifest.stores[layers - 1].layer.name;
  return manifest.base ? manifest.base->name : std::string();
}

// One rollback.
class Rollback {
 public:
  Rollback(const Session& session, const std::string& directory, const RollbackOptions& options,
           view::PreparedRollback prepared)
      : session_(session),
        directory_(directory),
        options_(options),
        prepared_(std::move(prepared)),
        before_(prepared_.locked.manifest),
        title_(delta::state_title(before_, prepared_.plan.layers)) {}

  int run() {
    if (prepared_.is_needless()) return tell_needless();
    if (!options_.json) list();
    if (options_.dry_run) {
      if (options_.json) print_json(false, {});
      return kExitDone;
    }
    if (!options_.yes) {
      const auto answer = ask_user(
          session_, fmt::format("{}: go back to {}, and lose this for good?", directory_, title_));
      if (!answer) return session_.fail(answer.error(), "nothing was changed");
      if (!answer.value()) {
        session_.complain(directory_, "nothing was changed");
        return kExitFailed;
      }
    }
    const auto outcome = view::make_rollback(session_.env(), directory_, prepared_);
    if (!outcome) return session_.fail(outcome.error(), after_failure());
    tell(outcome.value());
    return kExitDone;
  }

 private:
  // A process may have been killed right after a seal or a rollback.
  int tell_needless() {
    const bool may_write = options_.yes || session_.io().read_line;
    std::optional<Error> unclosed;
    if (may_write && !options_.dry_run) {
      auto closed = view::close_unchanged(session_.env(), directory_, prepared_);
      if (!closed) unclosed = std::move(closed).error();
    }
    if (options_.json) {
      print_json(false, {{}, {}, unclosed});
    } else {
      session_.print(fmt::format("nothing has changed since {}\n", title_));
    }
    complain_of_unclosed("nothing had to be done", unclosed);
    return kExitDone;
  }

  // The change of the manifest may have failed in its middle.
  [[nodiscard]] std::string after_failure() const {
    const auto now = delta::read_present_manifest(session_.env(), directory_);
    if (now && now.value().says_the_same(before_)) return "nothing was changed";
    return "'dgfs delta log' shows whether the rollback was made before";
  }

  void list() const {
    session_.print(fmt::format("{}: back to {}; lost {}\n", session_.shown(directory_), title_,
                               options_.dry_run ? "would be" : "will be"));
    for (const LostStore& lost : prepared_.lost) {
      session_.print(
          fmt::format("  {}, {}{}\n", state_of(lost), changes_of(lost), size_text(lost.bytes)));
    }
  }

  // Stands before "31 changes".
  [[nodiscard]] std::string state_of(const LostStore& lost) const {
    const delta::LayerFacts& layer = lost.store.layer;
    if (lost.store == before_.stores.back()) {
      return "since " + delta::state_title(before_, delta::layers_of(before_));
    }
    // Version 2 knows no states.
    if (delta::is_base(layer.state)) return "layer " + lost.store.name();
    auto title = delta::short_state_text(before_, layer.state);
    if (!layer.name.empty()) title = fmt::format("{} ({})", layer.name, title);
    return fmt::format("{} of {}", title, format_time(layer.sealed_at, "%Y-%m-%d %H:%M:%S"));
  }

  static std::string changes_of(const LostStore& lost) {
    const auto changes = lost.changes ? counted(*lost.changes, "change") + ", " : std::string();
    if (!lost.unreadable) return changes;
    return fmt::format("{}unreadable ({}), ", changes, printable(lost.unreadable->message()));
  }

  void tell(const delta::RollbackOutcome& outcome) const {
    if (options_.json) {
      print_json(true, outcome);
    } else {
      session_.print(fmt::format("rolled back to {}{}\n", title_, freed_text(outcome)));
    }
    complain_of_unclosed("the rollback is made", outcome.unclosed);
    if (!outcome.unremoved) return;
    const bool is_in_use = outcome.unremoved->kind() == ErrorKind::kBusy;
    session_.complain(
        directory_,
        fmt::format("the rollback is made, but files that nothing needs {}: {}",
                    is_in_use ? "are still there until the next mount" : "cannot be removed",
                    outcome.unremoved->message()));
  }

  [[nodiscard]] std::string freed_text(const delta::RollbackOutcome& outcome) const {
    const auto bytes = freed_bytes(outcome.manifest);
    if (bytes == 0) return "";
    return fmt::format("; {} {} free again", size_text(bytes),
                       outcome.unremoved ? "will be" : "are");
  }

  // The fresh store takes space for its log.
  [[nodiscard]] std::uint64_t freed_bytes(const delta::Manifest& manifest) const {
    const auto fresh =
        delta::bytes_on_disk(session_.env(), delta::store_path(directory_, manifest.stores.back()));
    const auto bytes = prepared_.lost_bytes();
    return fresh ? bytes - std::min(bytes, fresh.value()) : bytes;
  }

  void complain_of_unclosed(const char* done, const std::optional<Error>& unclosed) const {
    if (!unclosed) return;
    session_.complain(directory_,
                      fmt::format("{}, but the delta can be copied only after its next mount: {}",
                                  done, unclosed->message()));
  }

  void print_json(bool is_made, const delta::RollbackOutcome& outcome) const {
    const auto layers = prepared_.plan.layers;
    JsonObject line;
    line.add("rolled_back", is_made).add("id", rollback_id(before_, layers));
    if (const auto name = rollback_name(before_, layers); !name.empty()) line.add("name", name);
    std::string lost;
    for (const LostStore& store : prepared_.lost) {
      lost += (lost.empty() ? "" : ",") + json_of(store).text();
    }
    line.add_raw("lost", prepared_.is_needless() ? "[]" : "[" + lost + "]");
    line.add("bytes", prepared_.is_needless() ? 0 : prepared_.lost_bytes());
    if (outcome.unremoved) line.add("unremoved", outcome.unremoved->message());
    if (outcome.unclosed) line.add("unclosed", outcome.unclosed->message());
    session_.print(line.line());
  }

  // The store that is written to has no id.
  static JsonObject json_of(const LostStore& lost) {
    const delta::LayerFacts& layer = lost.store.layer;
    JsonObject line;
    line.add("number", lost.store.number);
    if (!delta::is_base(layer.state)) {
      line.add("id", delta::state_text(layer.state)).add("time", utc_time(layer.sealed_at));
      if (!layer.name.empty()) line.add("name", layer.name);
    }
    if (lost.changes) line.add("changes", *lost.changes);
    line.add("bytes", lost.bytes);
    if (lost.unreadable) line.add("unreadable", lost.unreadable->message());
    return line;
  }

  const Session& session_;
  const std::string& directory_;
  const RollbackOptions& options_;
  view::PreparedRollback prepared_;
  const delta::Manifest before_;
  const std::string title_;
};

}  // namespace

int roll_back_delta(const Session& session, const std::string& directory, const std::string& state,
                    const RollbackOptions& options) {
  const bool only_looks = options.dry_run || (!options.yes && !session.io().read_line);
  const auto access = only_looks ? delta::StoreAccess::kReadOnly : delta::StoreAccess::kReadWrite;
  delta::ClosingWait closing(directory, [&](const std::string& line) { session.complain(line); });
  auto prepared = view::prepare_rollback(session.env(), directory, state, access);
  while (!prepared && prepared.error().kind() == ErrorKind::kBusy && !session.should_stop() &&
         closing.wait()) {
    prepared = view::prepare_rollback(session.env(), directory, state, access);
  }
  if (!prepared) return session.fail(prepared.error(), "nothing was changed");
  return Rollback(session, directory, options, std::move(prepared).value()).run();
}

}  // namespace dgfs::tools
