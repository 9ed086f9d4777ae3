// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta: shows the stores of a delta, checks the stores and their names, makes states and
// lists them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "delta/store/directory/states.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/delta/copy_repair.h"
#include "tools/delta/live_delta.h"
#include "tools/delta/log.h"
#include "tools/delta/manual.h"
#include "tools/delta/seal.h"
#include "tools/delta/stack_command.h"
#include "tools/delta/wait.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

// Shell completion leaves slashes at the end.
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

int run_delta(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "delta");
  OptionParser parser({"dgfs delta", "info|check|seal|log|wait|repair DIR",
                       "Shows what the stores of a delta consist of, checks every byte of them, "
                       "keeps the present state of the delta, lists such states, waits until the "
                       "delta is closed, or makes a torn copy of one usable."});
  StackCommandOptions options;
  parser.flag("--scan", "With info: also read all blocks, and count what is in them",
              options.stores.scan);
  parser.value("--image", "IMAGE", "With check: also check the names in delta and image",
               options.image);
  options.image_options.add_to(parser);
  parser.flag("--repair", "With check and --image: mend broken names", options.repairs);
  std::optional<std::string> name;
  std::optional<std::string> as_of;
  parser.value("--name", "NAME", "With seal: a name of the state", name);
  parser.value("--as-of", "STATE", "With check: check the layers up to this state", as_of);
  std::uint64_t seconds_max = 0;
  parser.number("--timeout", "SECONDS", "With wait: fail after this time (0, the default: never)",
                seconds_max);
  parser.flag("-q,--quiet", "Print no progress; with check, print only damage",
              options.stores.quiet);
  parser.flag("--json", "Print JSON objects, one per line; with check, the summary comes last",
              options.stores.json);
  parser.manual(delta_manual());
  const auto [operands, exit_code] = session.parse(parser, arguments, 2, 2);
  if (exit_code) return *exit_code;
  const std::string& action = operands[0];
  constexpr std::array<std::string_view, 6> kActions = {"info", "check", "seal",
                                                        "log",  "wait",  "repair"};
  if (std::find(kActions.begin(), kActions.end(), action) == kActions.end()) {
    return session.fail_usage(shell_quoted(action) +
                              ": must be 'info', 'check', 'seal', 'log', 'wait' or 'repair'");
  }
  const bool checks = action == "check";
  const bool seals = action == "seal";
  if (name && !seals) return session.fail_usage("--name is only for 'seal'");
  if (as_of && !checks) return session.fail_usage("--as-of is only for 'check'");
  if (as_of && options.repairs) return session.fail_usage("a state of the past is not repaired");
  if (name && name->empty()) return session.fail_usage("--name needs a name");
  if (seconds_max != 0 && action != "wait") {
    return session.fail_usage("--timeout is only for 'wait'");
  }
  if (action != "info" && options.stores.scan)
    return session.fail_usage("--scan is only for 'info'");
  if (!checks && (options.image || options.repairs)) {
    return session.fail_usage("--image and --repair are only for 'check'");
  }
  if (options.repairs && !options.image)
    return session.fail_usage("--repair needs the image (--image)");
  const auto directory = without_slashes(operands[1]);
  if (action == "wait") return wait_until_closed(session, directory, {.seconds_max = seconds_max});
  const auto& [json, quiet, scan] = options.stores;
  if (action == "repair") return repair_copy(session, directory, quiet);
  if (seals) return seal_delta(session, directory, name.value_or(""), json);
  if (action == "log") return list_states(session, directory, json);
  if (!checks) {
    if (const auto code = show_live_delta(session, directory, json)) return *code;
  }
  StackCommand command(session, directory, options);
  if (!checks) return command.info();
  return as_of && *as_of != delta::kNewestState ? command.check_state(*as_of) : command.check();
}

}  // namespace dgfs::tools
