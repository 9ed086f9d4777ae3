// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "tools/build/option_values.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

using Words = std::vector<std::string_view>;

constexpr char kRepackAll[] = "all";  // of --repack

constexpr std::array<std::string_view, 10> kDeltaActions = {
    "info", "check", "seal", "log", "drop", "rollback", "compact", "merge", "wait", "repair"};

// "'merge', 'drop' and 'rollback'"
std::string listed(std::span<const std::string_view> words, std::string_view conjunction) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? fmt::format(" {} ", conjunction) : ", ";
    text += fmt::format("'{}'", words[i]);
  }
  return text;
}

bool takes_states(std::string_view action) { return action == "drop" || action == "rollback"; }

}  // namespace

std::string delta_actions() {
  std::string text;
  for (const std::string_view action : kDeltaActions) {
    text += (text.empty() ? "" : "|") + std::string(action);
  }
  return text;
}

void DeltaCommandLine::add_to(OptionParser& parser) {
  parser.flag("--scan", "With info: also read all blocks, and count what is in them",
              stacks.stores.scan);
  parser.value("--image", "IMAGE",
               "With check: also check the names in delta and image. With merge: the image of a "
               "delta that is not mounted",
               stacks.image);
  stacks.image_options.add_to(parser);
  parser.flag("--repair", "With check and --image: mend broken names", stacks.repairs);
  parser.value("--name", "NAME", "With seal: a name of the state", name);
  parser.flag("--wait",
              "With seal: return once the state can be copied with the files of the delta", waits);
  parser.value("--as-of", "STATE", "With check: check the layers up to this state", as_of);
  add_rules(parser);
  parser.flag("--yes", "With rollback: do not ask", yes);
  add_merge_options(parser);
  parser.flag("--dry-run",
              "With merge, compact, drop and rollback: change nothing; print what would be done",
              dry_run);
  parser.number("--timeout", "SECONDS", "With wait: fail after this time (0, the default: never)",
                seconds_max);
  parser.flag("-q,--quiet", "Print no progress; with check, print only damage",
              stacks.stores.quiet);
  parser.flag("--json", "Print JSON objects, one per line; with check, the summary comes last",
              stacks.stores.json);
}

void DeltaCommandLine::add_rules(OptionParser& parser) {
  const auto rule = [&](const char* option, const char* help, std::uint64_t& target) {
    parser.on_value(option, "N", help, [this, &target](const std::string& value) -> Status {
      DGFS_TRY(number, parse_number(value));
      if (number == 0) {
        return Error(ErrorKind::kInvalidArgument, 6962, "must be a number from 1 on");
      }
      target = number;
      has_rule = true;
      return ok();
    });
  };
  rule("--keep-last", "With drop: keep the N newest of the states with names; drop all others",
       rules.last);
  rule("--keep-daily", "With drop: keep the newest of each of the last N days that have one",
       rules.daily);
  rule("--keep-weekly", "With drop: the same for weeks, which begin on Monday", rules.weekly);
  rule("--keep-monthly", "With drop: the same for months", rules.monthly);
}

void DeltaCommandLine::add_merge_options(OptionParser& parser) {
  parser.on_value("--to", "STATE", "With merge: end at this state, a name or an id of 'log'",
                  [this](const std::string& value) -> Status {
                    has_merge_option = true;
                    merge.request.to = value;
                    // It is one word of a question to the mount.
                    if (!value.empty() && value.find(' ') == value.npos) return ok();
                    return Error(ErrorKind::kInvalidArgument, 6954,
                                 "must be a name or an id of a state");
                  });
  parser.on_optional_value(
      "--repack", "PERCENT", kRepackAll,
      "With merge: pack all contents anew, so that the base needs no other file. With PERCENT, "
      "from 0 to 99: those in volumes with more than so many of a hundred bytes that no file uses",
      [this](const std::string& value) -> Status {
        has_merge_option = true;
        merge.request.repack.all = value == kRepackAll;
        merge.request.repack.dead_percent.reset();
        if (merge.request.repack.all) return ok();
        DGFS_TRY(percent, parse_percent(value));
        merge.request.repack.dead_percent = percent;
        return ok();
      });
  parser.flag("--cancel", "With merge and compact: give up the work of a mount", cancels);
}

std::optional<std::string> DeltaCommandLine::wrong_usage(
    const std::vector<std::string>& operands) const {
  const std::string_view action = operands[0];
  if (std::find(kDeltaActions.begin(), kDeltaActions.end(), action) == kDeltaActions.end()) {
    return fmt::format("{}: must be {}", shell_quoted(action), listed(kDeltaActions, "or"));
  }
  if (auto wrong = wrong_operands(operands)) return wrong;
  return wrong_option(action);
}

std::optional<std::string> DeltaCommandLine::wrong_operands(
    const std::vector<std::string>& operands) const {
  const std::string_view action = operands[0];
  const std::size_t states = operands.size() - 2;
  if (states != 0 && !takes_states(action)) return fmt::format("extra operand '{}'", operands[2]);
  if (action == "rollback" && states == 0) return "'rollback' needs a state of 'log'";
  if (action == "rollback" && states > 1) return fmt::format("extra operand '{}'", operands[3]);
  if (action == "drop" && states == 0 && !has_rule) {
    return "'drop' needs states of 'log', or a rule such as --keep-daily";
  }
  if (action == "drop" && states != 0 && has_rule) {
    return "'drop' takes states or rules, not both";
  }
  return std::nullopt;
}

std::optional<std::string> DeltaCommandLine::wrong_option(std::string_view action) const {
  struct Bound {
    bool is_given;
    const char* options;
    Words actions;
  };
  const Bound bounds[] = {
      {name.has_value(), "--name is", {"seal"}},
      {waits, "--wait is", {"seal"}},
      {as_of.has_value(), "--as-of is", {"check"}},
      {seconds_max != 0, "--timeout is", {"wait"}},
      {stacks.stores.scan, "--scan is", {"info"}},
      {stacks.repairs, "--repair is", {"check"}},
      {stacks.image.has_value(), "--image is", {"check", "merge"}},
      {has_rule, "--keep-last, --keep-daily, --keep-weekly and --keep-monthly are", {"drop"}},
      {yes, "--yes is", {"rollback"}},
      {has_merge_option, "--to and --repack are", {"merge"}},
      {cancels, "--cancel is", {"merge", "compact"}},
      {dry_run, "--dry-run is", {"merge", "compact", "drop", "rollback"}},
  };
  for (const Bound& bound : bounds) {
    const auto& actions = bound.actions;
    if (!bound.is_given || std::find(actions.begin(), actions.end(), action) != actions.end()) {
      continue;
    }
    return fmt::format("{} only for {}", bound.options, listed(actions, "and"));
  }
  if (name && name->empty()) return "--name needs a name";
  if (as_of && stacks.repairs) return "a state of the past is not repaired";
  if (cancels && (has_merge_option || dry_run)) {
    return "--cancel goes with no other option of 'merge' and 'compact'";
  }
  if (stacks.repairs && !stacks.image) return "--repair needs the image (--image)";
  return std::nullopt;
}

}  // namespace dgfs::tools
