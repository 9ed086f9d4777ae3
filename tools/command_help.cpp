// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs help: prints the descriptions of commands for people, for man(1), and for shells.
#include <fmt/format.h>

#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/help/completion_bash.h"
#include "tools/help/completion_zsh.h"
#include "tools/help/manual_page.h"
#include "tools/help/mount_help.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/path_completion.h"

namespace dgfs::tools {
namespace {

struct HelpCommand {
  bool man = false;
  bool list = false;
  bool paths = false;
  std::optional<std::string> completion;
  ImageOptions image;
};

std::string general_help() {
  std::string out = "Usage: dgfs COMMAND [OPTION]... OPERAND...\n\nCommands:\n";
  for (const Command& command : commands()) {
    const std::string usage = fmt::format("{} {}", command.name, command.operands);
    out += fmt::format("  {:<34} {}\n", usage, command.summary);
  }
  return out +
         "\n'dgfs COMMAND --help' shows the options of a command, 'dgfs --version' the version.\n"
         "Exit status: 0 done, 1 failed (damage found, path missing), 2 wrong usage.\n"
         "diff and ls use those of diff(1) and ls(1). The help of a command lists its own.\n";
}

Manual general_manual() {
  return {.paragraphs =
              {"DGFS packs a directory tree into one image and one small index, and mounts it. It "
               "is for millions of small, rarely changing files: training sets, archives, map "
               "tiles, caches, mirrors, source trees.",
               "Names and metadata live in the index, compressed to a few bytes per file and "
               "searched in place; reading a cold small file takes at most one read of the index "
               "and one of the data. Every page and every frame has a checksum that is verified on "
               "each read: damage gives an error that names the place, never wrong data.",
               "Commands that take an IMAGE work without a mount. A PATH is relative to the root "
               "of the image, with or without a leading slash."},
          .examples = {{"dgfs build linux linux.dgfs", "Packs the directory linux."},
                       {"dgfs mount linux.dgfs /mnt", "Mounts the image."},
                       {"umount /mnt", "Unmounts it."},
                       {"dgfs find linux.dgfs -name Makefile", "Searches it, mounted or not."},
                       {"dgfs verify linux.dgfs", "Checks every byte."}},
          .see_also = {"tar(1)", "mount(8)", "fusermount3(1)"}};
}

/// Returns the description that the command would print for --help.
CommandDescription describe(const ToolIo& io, const Command& command) {
  CommandDescription out;
  const DescriptionSink sink = [&](CommandDescription description) {
    out = std::move(description);
  };
  ToolIo asking = io;
  asking.describe = &sink;
  static_cast<void>(command.run(asking, {"--help"}));
  return out;
}

int print_page(const Session& session, const std::vector<std::string>& operands) {
  const Edition edition{DGFS_VERSION, DGFS_RELEASE_DATE};
  if (operands.empty()) {
    std::vector<CommandLine> lines;
    for (const Command& command : commands()) {
      lines.push_back({command.name, command.operands, command.summary});
    }
    session.print(overview_page(lines, general_manual(), edition));
    return kExitDone;
  }
  if (operands[0] == "mount.dgfs") {
    session.print(manual_page(mount_helper_description(), "mount a DGFS image", edition));
    return kExitDone;
  }
  const Command* command = find_command(operands[0]);
  if (command == nullptr) return unknown_command(session.io(), operands[0]);
  session.print(manual_page(describe(session.io(), *command), command->summary, edition));
  return kExitDone;
}

int print_completion(const Session& session, const std::string& shell) {
  std::vector<CompletedCommand> completed;
  for (const Command& command : commands()) {
    completed.push_back({command.name, command.summary, describe(session.io(), command)});
  }
  if (shell == "bash") {
    session.print(bash_completion(completed));
  } else if (shell == "zsh") {
    session.print(zsh_completion(completed));
  } else {
    return session.fail_usage("--completion: '" + shell + "' is not bash or zsh");
  }
  return kExitDone;
}

int print_paths(const Session& session, const HelpCommand& help,
                const std::vector<std::string>& operands) {
  if (operands.size() != 2) return session.fail_usage("--paths needs IMAGE and BEGINNING");
  const auto image = open_image(session, operands[0], help.image);
  if (!image) return kExitFailed;
  const Status completed = complete_path(*image, operands[1], [&](std::string_view path) {
    session.print(path);
    session.print("\n");
  });
  return completed ? kExitDone : session.fail(completed.error());
}

int print_help(const Session& session, const std::vector<std::string>& operands) {
  if (operands.empty()) {
    session.print(general_help());
    return kExitDone;
  }
  const Command* command = find_command(operands[0]);
  if (command == nullptr) return unknown_command(session.io(), operands[0]);
  return command->run(session.io(), {"--help"});
}

int print_names(const Session& session) {
  for (const Command& command : commands()) session.print(std::string(command.name) + "\n");
  return kExitDone;
}

void add_options(OptionParser& options, HelpCommand& help) {
  options.flag("--man", "Print the manual page of the program, or of a command", help.man);
  options.value("--completion", "SHELL", "Print the completion script for bash or zsh",
                help.completion);
  options.choices("--completion", {"bash", "zsh"});
  options.flag("--list", "Print the names of the commands, one per line", help.list);
  options.flag("--paths",
               "With the operands IMAGE and BEGINNING: print the paths inside the image that begin "
               "so, for completion",
               help.paths);
  help.image.add_to(options);
}

Manual help_manual() {
  return {.examples = {{"dgfs help find", "Shows the options of dgfs find."},
                       {"dgfs help --man find | man -l -", "Shows its manual page."},
                       {"source <(dgfs help --completion bash)",
                        "Enables completion in the running shell."}}};
}

}  // namespace

int run_help(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "help");
  OptionParser options({"dgfs help", "[COMMAND]", "Explains commands and their options."});
  HelpCommand help;
  add_options(options, help);
  options.manual(help_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 0, 2);
  if (exit_code) return *exit_code;
  if (help.paths) return print_paths(session, help, operands);
  if (operands.size() > 1) return session.fail_usage("extra operand '" + operands[1] + "'");
  if (help.completion) return print_completion(session, *help.completion);
  if (help.list) return print_names(session);
  return help.man ? print_page(session, operands) : print_help(session, operands);
}

}  // namespace dgfs::tools
