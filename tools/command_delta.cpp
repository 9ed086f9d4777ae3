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
#include "tools/build/option_values.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/delta/copy_repair.h"
#include "tools/delta/live_delta.h"
#include "tools/delta/log.h"
#include "tools/delta/manual.h"
#include "tools/delta/merge.h"
#include "tools/delta/seal.h"
#include "tools/delta/stack_command.h"
#include "tools/delta/wait.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

constexpr char kAllContents[] = "all";  // of --repack

// Shell completion leaves slashes at the end.
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

void add_merge_options(OptionParser& parser, MergeDeltaOptions& merge, bool& has_one) {
  parser.on_value("--to", "STATE", "With merge: end at this state, a name or an id of 'log'",
                  [&](const std::string& value) -> Status {
                    has_one = true;
                    merge.request.to = value;
                    // It is one word of a question to the mount.
                    if (!value.empty() && value.find(' ') == value.npos) return ok();
                    return Error(ErrorKind::kInvalidArgument, 6954,
                                 "must be a name or an id of a state");
                  });
  parser.on_optional_value(
      "--repack", "PERCENT", kAllContents,
      "With merge: pack all contents anew, so that the base needs no other file. With PERCENT, "
      "from "
      "0 to 99: those in volumes with more than so many of a hundred bytes that no file uses",
      [&](const std::string& value) -> Status {
        has_one = true;
        merge.request.repack.all = value == kAllContents;
        merge.request.repack.dead_percent.reset();
        if (merge.request.repack.all) return ok();
        DGFS_TRY(percent, parse_percent(value));
        merge.request.repack.dead_percent = percent;
        return ok();
      });
  parser.on_flag("--dry-run", "With merge: merge nothing; print what would be packed",
                 [&](const auto&) -> Status {
                   has_one = true;
                   merge.request.dry_run = true;
                   return ok();
                 });
  parser.on_flag("--cancel", "With merge: give up the merge that a mount is making",
                 [&](const auto&) -> Status {
                   has_one = true;
                   merge.cancels = true;
                   return ok();
                 });
}

}  // namespace

int run_delta(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "delta");
  OptionParser parser({"dgfs delta", "info|check|seal|log|merge|wait|repair DIR",
                       "Shows what the stores of a delta consist of, checks every byte of them, "
                       "keeps the present state of the delta, lists such states, merges them into "
                       "the base of the delta, waits until the delta is closed, or makes a torn "
                       "copy of one usable."});
  StackCommandOptions options;
  parser.flag("--scan", "With info: also read all blocks, and count what is in them",
              options.stores.scan);
  parser.value("--image", "IMAGE",
               "With check: also check the names in delta and image. With merge: the image of a "
               "delta that is not mounted",
               options.image);
  options.image_options.add_to(parser);
  parser.flag("--repair", "With check and --image: mend broken names", options.repairs);
  std::optional<std::string> name;
  std::optional<std::string> as_of;
  parser.value("--name", "NAME", "With seal: a name of the state", name);
  parser.value("--as-of", "STATE", "With check: check the layers up to this state", as_of);
  MergeDeltaOptions merge;
  bool has_merge_option = false;
  add_merge_options(parser, merge, has_merge_option);
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
  constexpr std::array<std::string_view, 7> kActions = {"info",  "check", "seal",  "log",
                                                        "merge", "wait",  "repair"};
  if (std::find(kActions.begin(), kActions.end(), action) == kActions.end()) {
    return session.fail_usage(shell_quoted(action) +
                              ": must be 'info', 'check', 'seal', 'log', 'merge', 'wait' or "
                              "'repair'");
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
  const bool merges = action == "merge";
  if (!checks && options.repairs) return session.fail_usage("--repair is only for 'check'");
  if (!checks && !merges && options.image) {
    return session.fail_usage("--image is only for 'check' and 'merge'");
  }
  if (has_merge_option && !merges) {
    return session.fail_usage("--to, --repack, --dry-run and --cancel are only for 'merge'");
  }
  if (merge.cancels && (merge.request.to || merge.request.dry_run || merge.request.repack.all ||
                        merge.request.repack.dead_percent)) {
    return session.fail_usage("--cancel goes with no other option of 'merge'");
  }
  if (options.repairs && !options.image)
    return session.fail_usage("--repair needs the image (--image)");
  const auto directory = without_slashes(operands[1]);
  if (action == "wait") return wait_until_closed(session, directory, {.seconds_max = seconds_max});
  const auto& [json, quiet, scan] = options.stores;
  if (action == "repair") return repair_copy(session, directory, quiet);
  if (seals) return seal_delta(session, directory, name.value_or(""), json);
  if (action == "log") return list_states(session, directory, json);
  if (merges) {
    merge.image_path = options.image;
    merge.image_options = options.image_options;
    merge.quiet = quiet;
    merge.json = json;
    return merge_delta(session, directory, merge);
  }
  if (!checks) {
    if (const auto code = show_live_delta(session, directory, json)) return *code;
  }
  StackCommand command(session, directory, options);
  if (!checks) return command.info();
  return as_of && *as_of != delta::kNewestState ? command.check_state(*as_of) : command.check();
}

}  // namespace dgfs::tools
