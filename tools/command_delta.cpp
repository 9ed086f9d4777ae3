// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta: shows the stores of a delta, checks the stores and their names, makes states, lists
// them and keeps them in order.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/store/directory/states.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/delta/command_line.h"
#include "tools/delta/compact.h"
#include "tools/delta/copy_repair.h"
#include "tools/delta/drop.h"
#include "tools/delta/live_delta.h"
#include "tools/delta/log.h"
#include "tools/delta/manual.h"
#include "tools/delta/merge.h"
#include "tools/delta/rollback.h"
#include "tools/delta/seal.h"
#include "tools/delta/stack_command.h"
#include "tools/delta/wait.h"

namespace dgfs::tools {
namespace {

// Shell completion leaves slashes at the end.
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// The command line is right.
int run_action(const Session& session, const std::vector<std::string>& operands,
               DeltaCommandLine& line) {
  const std::string_view action = operands[0];
  const auto directory = without_slashes(operands[1]);
  const std::vector<std::string> states(operands.begin() + 2, operands.end());
  const auto& [json, quiet, scan] = line.stacks.stores;
  if (action == "wait") {
    return wait_until_closed(session, directory, {.seconds_max = line.seconds_max});
  }
  if (action == "repair") return repair_copy(session, directory, quiet);
  if (action == "seal") {
    return seal_delta(session, directory, {line.name.value_or(""), line.waits, json});
  }
  if (action == "log") return list_states(session, directory, json);
  if (action == "drop") {
    return drop_states(session, directory, {states, line.rules, line.dry_run, json});
  }
  if (action == "rollback") {
    return roll_back_delta(session, directory, states[0], {line.yes, line.dry_run, json});
  }
  if (action == "compact") {
    return compact_delta(Session(session.io(), "delta compact"), directory,
                         {line.dry_run, line.cancels, quiet, json});
  }
  if (action == "merge") {
    line.merge.cancels = line.cancels;
    line.merge.image_path = line.stacks.image;
    line.merge.image_options = line.stacks.image_options;
    line.merge.request.dry_run = line.dry_run;
    line.merge.quiet = quiet;
    line.merge.json = json;
    return merge_delta(Session(session.io(), "delta merge"), directory, line.merge);
  }
  if (action == "info") {
    if (const auto code = show_live_delta(session, directory, json)) return *code;
  }
  StackCommand command(session, directory, line.stacks);
  if (action == "info") return command.info();
  const bool is_past = line.as_of && *line.as_of != delta::kNewestState;
  return is_past ? command.check_state(*line.as_of) : command.check();
}

}  // namespace

int run_delta(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "delta");
  OptionParser parser(
      {"dgfs delta", delta_actions() + " DIR [STATE]...",
       "Shows what the stores of a delta consist of, checks every byte of them, "
       "keeps the present state of the delta, lists such states, drops them, "
       "returns to one, joins layers, merges them into the base of the delta, waits until the "
       "delta is closed, or makes a torn copy of one usable."});
  DeltaCommandLine line;
  line.add_to(parser);
  parser.manual(delta_manual());
  const auto [operands, exit_code] = session.parse(parser, arguments, 2, SIZE_MAX);
  if (exit_code) return *exit_code;
  if (const auto wrong = line.wrong_usage(operands)) return session.fail_usage(*wrong);
  return run_action(session, operands, line);
}

}  // namespace dgfs::tools
