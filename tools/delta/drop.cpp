// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/drop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/json.h"
#include "delta/control/closing_wait.h"
#include "delta/control/control.h"
#include "delta/store/directory/dropped_states.h"
#include "delta/store/directory/states.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

// A state by the number of layers that show it; 0: that of the base.
using LayerCount = std::size_t;

// A state of the stack. A value.
struct StateFacts {
  delta::StateId id{};
  std::string name;
  Time time;
  bool is_wanted = false;  ///< it has a name or pins
};

StateFacts facts_of_state(const delta::Manifest& manifest, LayerCount layers) {
  if (layers == 0) {
    const delta::BaseFacts& base = *manifest.base;
    return {base.state, base.name, base.sealed_at, !base.name.empty() || base.pins != 0};
  }
  const delta::LayerFacts& layer = manifest.stores[layers - 1].layer;
  return {layer.state, layer.name, layer.sealed_at, delta::is_wanted(layer)};
}

// States to drop, and those that stay. A value.
struct DropChoice {
  std::vector<LayerCount> dropped;
  std::vector<LayerCount> kept;  ///< those that are wanted, the newest first
};

// Rules judge the states that somebody wants. All others go with the next join anyway.
DropChoice chosen_by_rules(const delta::Manifest& manifest, const layer::KeepRules& rules) {
  std::vector<LayerCount> wanted;
  std::vector<std::int64_t> days;
  for (LayerCount layers = delta::layers_of(manifest) + 1; layers-- > 0;) {
    if (layers == 0 && !manifest.base) break;
    const StateFacts facts = facts_of_state(manifest, layers);
    if (!facts.is_wanted) continue;
    wanted.push_back(layers);
    days.push_back(local_day(facts.time));
  }
  // Times never fall, but a time zone may have changed its clocks.
  for (std::size_t i = days.size(); i-- > 1;) days[i - 1] = std::max(days[i - 1], days[i]);
  const auto stays = layer::kept_states(days, rules);
  DropChoice choice;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    (stays[i] ? choice.kept : choice.dropped).push_back(wanted[i]);
  }
  return choice;
}

Result<LayerCount> find_to_drop(const delta::Manifest& manifest, const std::string& state,
                                const std::string& directory) {
  DGFS_TRY(found, delta::find_state(manifest, state, directory));
  const auto layers = std::min(found, delta::layers_of(manifest));
  if (layers != 0 || manifest.base) return layers;
  return Error(ErrorKind::kInvalidArgument, 6961,
               "that is the image alone, which is no state that can be dropped")
      .in_file(directory);
}

Result<DropChoice> chosen_states(const delta::Manifest& manifest, const DropOptions& options,
                                 const std::string& directory) {
  if (options.states.empty()) return chosen_by_rules(manifest, options.rules);
  DropChoice choice;
  for (const std::string& state : options.states) {
    DGFS_TRY(layers, find_to_drop(manifest, state, directory));
    if (std::ranges::find(choice.dropped, layers) == choice.dropped.end()) {
      choice.dropped.push_back(layers);
    }
  }
  for (LayerCount layers = delta::layers_of(manifest) + 1; layers-- > 0;) {
    if (layers == 0 && !manifest.base) break;
    const bool is_dropped = std::ranges::find(choice.dropped, layers) != choice.dropped.end();
    if (!is_dropped && facts_of_state(manifest, layers).is_wanted) choice.kept.push_back(layers);
  }
  return choice;
}

// One call of the command.
class Drop {
 public:
  Drop(const Session& session, const std::string& directory, const DropOptions& options)
      : session_(session), directory_(directory), options_(options) {}

  int run() {
    auto manifest = delta::read_present_manifest(session_.env(), directory_);
    if (!manifest) return session_.fail(manifest.error());
    manifest_ = std::move(manifest).value();
    auto choice = chosen_states(manifest_, options_, directory_);
    if (!choice) return session_.fail(choice.error(), "nothing was dropped");
    choice_ = std::move(choice).value();
    if (!choice_.dropped.empty() && !options_.dry_run) {
      if (const auto code = drop()) return *code;
    }
    if (options_.json) {
      print_json();
    } else {
      print_text();
    }
    return kExitDone;
  }

 private:
  [[nodiscard]] std::vector<delta::StateId> ids() const {
    std::vector<delta::StateId> ids;
    for (const LayerCount layers : choice_.dropped)
      ids.push_back(facts_of_state(manifest_, layers).id);
    return ids;
  }

  // nullopt: it is done.
  std::optional<int> drop() {
    std::string question(delta::kAskDrop);
    for (const delta::StateId& id : ids()) question += " " + delta::state_text(id);
    delta::ClosingWait closing(directory_,
                               [&](const std::string& line) { session_.complain(line); });
    for (;;) {
      const auto answer =
          delta::ask_holder(directory_, question, [&] { return session_.should_stop(); });
      const bool is_refused = !answer && (answer.error().kind() == ErrorKind::kIo ||
                                          answer.error().kind() == ErrorKind::kInterrupted);
      if (is_refused) return fail(answer.error());
      if (answer && !delta::is_closing(answer.value())) return std::nullopt;
      const auto dropped = drop_here();
      if (dropped) return std::nullopt;
      const bool is_busy = dropped.error().kind() == ErrorKind::kBusy;
      if (is_busy && !session_.should_stop() && closing.wait()) continue;
      return fail(dropped.error());
    }
  }

  // The mount may still do what was asked; the change of the manifest may have failed in its
  // middle.
  [[nodiscard]] int fail(const Error& error) const {
    if (error.kind() == ErrorKind::kInterrupted) return session_.fail(error);
    const auto now = delta::read_present_manifest(session_.env(), directory_);
    const auto without = now ? delta::without_states(now.value(), ids(), directory_)
                             : Result<delta::Manifest>(now.error());
    const bool is_unchanged = without && !without.value().says_the_same(now.value());
    return session_.fail(error, is_unchanged ? "nothing was dropped"
                                             : "'dgfs delta log' shows which states have names");
  }

  Status drop_here() {
    DGFS_TRY(locked,
             delta::lock_manifest(session_.env(), directory_, delta::StoreAccess::kReadWrite));
    return delta::drop_states(session_.env(), directory_, locked, ids());
  }

  void print_text() const {
    if (choice_.dropped.empty()) {
      return session_.print(fmt::format("nothing to drop; {}\n", kept_text()));
    }
    std::string titles;
    for (const LayerCount layers : choice_.dropped) {
      titles += (titles.empty() ? "" : ", ") + delta::state_title(manifest_, layers);
    }
    session_.print(fmt::format("{} {}; {}\n", options_.dry_run ? "would drop" : "dropped", titles,
                               kept_text()));
  }

  [[nodiscard]] std::string kept_text() const {
    const auto count = choice_.kept.size();
    if (count == 0) return "no state has a name";
    return fmt::format("{} {}", counted(count, "state"), count == 1 ? "stays" : "stay");
  }

  void print_json() const {
    JsonObject line;
    line.add("dry_run", options_.dry_run)
        .add_raw("dropped", list(choice_.dropped))
        .add_raw("kept", list(choice_.kept));
    session_.print(line.line());
  }

  [[nodiscard]] std::string list(const std::vector<LayerCount>& all) const {
    std::string states;
    for (const LayerCount layers : all) {
      const StateFacts facts = facts_of_state(manifest_, layers);
      JsonObject state;
      state.add("id", delta::state_text(facts.id)).add("time", utc_time(facts.time));
      if (!facts.name.empty()) state.add("name", facts.name);
      states += (states.empty() ? "" : ",") + state.text();
    }
    return "[" + states + "]";
  }

  const Session& session_;
  const std::string& directory_;
  const DropOptions& options_;
  delta::Manifest manifest_;
  DropChoice choice_;
};

}  // namespace

int drop_states(const Session& session, const std::string& directory, const DropOptions& options) {
  return Drop(session, directory, options).run();
}

}  // namespace dgfs::tools
