// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/seal.h"

#include <fmt/format.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <chrono>
#include <optional>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "base/printable.h"
#include "delta/control/closing_wait.h"
#include "delta/control/control.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"
#include "delta/view/offline_seal.h"
#include "storage/posix/file_system_sync.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

void print_sealed(const Session& session, const delta::Manifest& manifest,
                  const delta::SealOutcome& outcome, bool json) {
  const delta::LayerFacts& layer = manifest.stores[outcome.layers - 1].layer;
  if (json) {
    JsonObject line;
    line.add("sealed", true).add("id", delta::state_text(layer.state));
    if (!layer.name.empty()) line.add("name", layer.name);
    return session.print(line.add("changes", outcome.changes).add("bytes", outcome.bytes).line());
  }
  session.print(fmt::format("sealed {}: {}, {}\n", delta::state_title(manifest, outcome.layers),
                            counted(outcome.changes, "change"), size_text(outcome.bytes)));
}

// A script may go on with the name that it has asked for.
void complain_of_other_name(const Session& session, const std::string& asked,
                            const std::string& name) {
  if (asked.empty() || asked == name) return;
  session.complain(
      fmt::format("there is no state \"{}\": the newest state has all changes", asked));
}

// Of the newest state; empty: it has none.
std::string newest_name(const delta::Manifest& manifest) {
  const auto layers = delta::layers_of(manifest);
  if (layers != 0) return manifest.stores[layers - 1].layer.name;
  return manifest.base ? manifest.base->name : std::string();
}

void print_unchanged(const Session& session, const delta::Manifest& manifest, bool json) {
  const auto layers = delta::layers_of(manifest);
  if (!json) {
    return session.print(
        fmt::format("nothing has changed since {}\n", delta::state_title(manifest, layers)));
  }
  JsonObject line;
  line.add("sealed", false);
  if (layers == 0 && !manifest.base) return session.print(line.add("id", delta::kBaseState).line());
  const auto& id = layers == 0 ? manifest.base->state : manifest.stores[layers - 1].layer.state;
  line.add("id", delta::state_text(id));
  if (const auto name = newest_name(manifest); !name.empty()) line.add("name", name);
  session.print(line.line());
}

/// @param reason  empty: the layer is closed, or being closed
void complain_of_unclosed(const Session& session, const std::string& directory,
                          const std::string& reason) {
  if (reason.empty()) return;
  session.complain(directory,
                   "the state is durable, but its layer still has its log until the "
                   "next mount: " +
                       reason);
}

// The mount that has the delta open has answered delta::kAskSeal.
// @param asked  the name that the state should have; empty: none
int print_answer(const Session& session, const std::string& directory, const std::string& asked,
                 const std::string& answer, bool json) {
  std::istringstream text(answer);
  boost::property_tree::ptree all;
  try {
    boost::property_tree::read_json(text, all);
  } catch (const boost::property_tree::ptree_error&) {
    session.complain("the mount gave an answer that is not understood");
    return kExitFailed;
  }
  const auto title = all.get<std::string>("title", "");
  const auto changes = all.get<std::uint64_t>("changes", 0);
  const auto bytes = all.get<std::uint64_t>("bytes", 0);
  const bool is_sealed = all.get<bool>("sealed", false);
  if (json) {
    JsonObject line;
    line.add("sealed", is_sealed).add("id", all.get<std::string>("id", ""));
    const auto name = all.get<std::string>("name", "");
    if (!name.empty()) line.add("name", name);
    if (is_sealed) {
      line.add("changes", changes).add("bytes", bytes);
      line.add("switch_us", all.get<std::uint64_t>("switch_us", 0));
    }
    session.print(line.line());
  } else if (is_sealed) {
    session.print(fmt::format("sealed {}: {}, {}\n", printable(title), counted(changes, "change"),
                              size_text(bytes)));
  } else {
    session.print(fmt::format("nothing has changed since {}\n", printable(title)));
  }
  if (!is_sealed) complain_of_other_name(session, asked, all.get<std::string>("name", ""));
  complain_of_unclosed(session, directory, all.get<std::string>("unclosed", ""));
  return kExitDone;
}

// Pages that programs have changed through mmap(2), or that the kernel collects, are sent to the
// mount. An error leaves them in the kernel, as without this call.
void send_dirty_pages(const std::string& directory) {
  const auto state = delta::ask_holder(directory, delta::kAskState);
  if (!state) return;
  std::istringstream text(state.value());
  boost::property_tree::ptree all;
  try {
    boost::property_tree::read_json(text, all);
  } catch (const boost::property_tree::ptree_error&) {
    return;
  }
  const auto mount = all.get<std::string>("mount", "");
  if (!mount.empty()) static_cast<void>(storage::sync_file_system(mount));
}

// nullopt: no process that has the delta open answers.
std::optional<int> seal_live(const Session& session, const std::string& directory,
                             const std::string& name, bool json) {
  send_dirty_pages(directory);
  const auto question = std::string(delta::kAskSeal) + (name.empty() ? "" : " " + name);
  const auto answer = delta::ask_holder(directory, question, [&] { return session.should_stop(); });
  const bool is_refused = !answer && (answer.error().kind() == ErrorKind::kIo ||
                                      answer.error().kind() == ErrorKind::kInterrupted);
  if (!answer && !is_refused) return std::nullopt;
  if (!answer) return session.fail(answer.error());
  if (delta::is_closing(answer.value())) return std::nullopt;
  return print_answer(session, directory, name, answer.value(), json);
}

// How long a layer may take to be closed: an operation from before the seal may hold it up.
constexpr std::uint64_t kClosingSecondsMax = 60;
constexpr std::chrono::milliseconds kClosingInterval{20};

// A layer keeps its log until it is closed. All layers but the newest are.
int wait_for_closing(const Session& session, const std::string& directory) {
  const auto begin_ns = session.env().monotonic_ns();
  for (;;) {
    const auto manifest = delta::read_present_manifest(session.env(), directory);
    if (!manifest) return session.fail(manifest.error());
    const auto layers = delta::layers_of(manifest.value());
    if (layers == 0) return kExitDone;
    const auto path = delta::store_path(directory, manifest.value().stores[layers - 1]);
    if (!delta::has_log(session.env(), path)) return kExitDone;
    if (session.should_stop()) return kExitInterrupted;
    if (session.env().monotonic_ns() - begin_ns > kClosingSecondsMax * kNsPerSecond) {
      return session.fail(
          Error(ErrorKind::kBusy, 6963, "the state is durable, but its layer is still being closed")
              .in_file(path));
    }
    std::this_thread::sleep_for(kClosingInterval);
  }
}

int seal_now(const Session& session, const std::string& directory, const std::string& name,
             bool json) {
  if (const auto code = seal_live(session, directory, name, json)) return *code;
  delta::ClosingWait closing(directory, [&](const std::string& line) { session.complain(line); });
  auto sealed = view::seal_offline(session.env(), directory, {name, {}});
  while (!sealed && sealed.error().kind() == ErrorKind::kBusy && closing.wait()) {
    sealed = view::seal_offline(session.env(), directory, {name, {}});
  }
  if (!sealed && sealed.error().kind() == ErrorKind::kBusy) {
    const int code = session.fail(sealed.error());
    session.complain(directory, "only a writable mount seals a delta that is in use");
    return code;
  }
  if (!sealed) return session.fail(sealed.error());
  const auto& [manifest, outcome] = sealed.value();
  if (!outcome) {
    print_unchanged(session, manifest, json);
    complain_of_other_name(session, name, newest_name(manifest));
    return kExitDone;
  }
  print_sealed(session, manifest, *outcome, json);
  if (outcome->unclosed) complain_of_unclosed(session, directory, outcome->unclosed->message());
  return kExitDone;
}

}  // namespace

int seal_delta(const Session& session, const std::string& directory, const SealOptions& options) {
  if (!options.name.empty()) {
    if (const auto valid = delta::check_state_name(options.name); !valid) {
      return session.fail(valid.error());
    }
  }
  const int code = seal_now(session, directory, options.name, options.json);
  return code == kExitDone && options.waits ? wait_for_closing(session, directory) : code;
}

}  // namespace dgfs::tools
