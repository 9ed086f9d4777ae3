// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs extract: writes the tree of an image, or parts of it, below a directory.
#include <fmt/format.h>

#include <optional>

#include "base/json.h"
#include "format/entry/mode.h"
#include "reader/extract/extract.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/restore_options.h"
#include "tools/cli/rule_options.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/image_path.h"
#include "tools/paths/node_facts.h"
#include "tools/paths/operand_pattern.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

struct ExtractCommand {
  reader::ExtractOptions extract;
  std::string destination;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
  std::optional<reader::AttributeKind> ended_by;  ///< attribute whose failure ended the extraction
};

/// Finds paths as find_listed() does, but does not follow a link at the end. Reports missing ones.
/// @param sound  set to false if a damaged path is left out, which only `keep_going` does
bool find_paths(const Session& session, const reader::Image& image,
                const std::vector<std::string>& wanted, bool keep_going,
                std::vector<std::string>& paths, bool& sound) {
  for (const std::string& path : wanted) {
    Result<FoundNode> found = find_listed(image, path, Follow::kNo);
    const bool is_damaged = !found && (found.error().kind() == ErrorKind::kCorrupt ||
                                       found.error().kind() == ErrorKind::kIo);
    if (is_damaged && keep_going) {
      session.complain(path, found.error().message());
      sound = false;
    } else if (!found) {
      session.complain(path, found.error().message() + "; nothing was extracted");
      return false;
    } else {
      paths.push_back(std::move(found.value().path));
    }
  }
  return true;
}

Manual extract_manual() {
  return {
      .paragraphs =
          {"With --json, the last line is an object that counts what was written: entries and "
           "content_bytes, failures (entries that were not written), devices_refused, "
           "lost_attributes (of the written entries), further_copies, skipped (by "
           "--skip-existing), "
           "and elapsed_seconds. Each "
           "failure, refused device, lost attribute and further copy is also reported on the error "
           "output. With --dry-run, an object for each entry comes first, and only entries, "
           "failures and devices_refused are counted. If an extraction ends early, the last line "
           "is missing.",
           "If DEST cannot hold an attribute, the extraction ends there, and the entry is not "
           "written; the message names the option that leaves such attributes out. With "
           "--keep-going, the entry is written without the attribute, and the attribute is "
           "reported. If a file has more names than the file system allows, a further copy is "
           "written for the other names, with a warning that does not change the exit status. If "
           "the owner of a file cannot be restored, the file gets neither its set-id bits nor its "
           "capabilities.",
           "An extraction that was ended can be continued. --skip-existing writes only the missing "
           "entries, but directories get their attributes last: those that the ended extraction "
           "made keep mode 0700 and times of their own. A further name of a file is written as a "
           "file of its own if its other names exist. --overwrite writes everything anew and sets "
           "these attributes too.",
           "With --overwrite, the old file goes just before the new one gets its name, so for a "
           "moment there is none. An object that is in the way of a directory is removed too, a "
           "directory in the way of an object only if it is empty.",
           kPatternHelp, kNamesHelp, kJsonHelp},
      .examples = {{"dgfs extract tree.dgfs out", "Writes the whole tree into out."},
                   {"dgfs extract -k tree.dgfs out etc usr/bin",
                    "Writes two directories, and skips what is damaged."},
                   {"dgfs extract tree.dgfs out 'src/*.c'", "Writes the files that match."},
                   {"dgfs extract -n tree.dgfs out --include '*/' --include '*.h' --exclude '*'",
                    "Lists the headers and all directories that it would write."}},
      .exit_statuses = {{0, "Everything was written."},
                        {1, "Something could not be read or written; the messages say what."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-cat(1)", "dgfs-mount(1)", "tar(1)"}};
}

int report_failures(const Session& session, const reader::ExtractReport& report) {
  if (report.failures != 0) {
    session.complain(counted(report.failures, "entry", "entries") + " could not be restored");
  }
  if (report.devices_refused != 0) {
    session.complain(counted(report.devices_refused, "device node") +
                     " left out (--no-devices leaves them out silently)");
  }
  if (report.lost_attributes != 0) {
    session.complain(counted(report.lost_attributes, "attribute") + " could not be restored");
  }
  return report.failures + report.devices_refused + report.lost_attributes == 0 ? kExitDone
                                                                                : kExitFailed;
}

JsonObject as_json(const ExtractCommand& command, const reader::ExtractReport& report) {
  JsonObject json;
  json.add("destination", command.destination)
      .add("dry_run", command.dry_run)
      .add("entries", report.entries);
  if (!command.dry_run) json.add("content_bytes", report.content_bytes);
  json.add("failures", report.failures).add("devices_refused", report.devices_refused);
  if (command.dry_run) return json;
  json.add("lost_attributes", report.lost_attributes)
      .add("further_copies", report.further_copies)
      .add("skipped", report.skipped);
  return json;
}

/// The line of one entry that would be written; directories end with a slash.
std::string entry_line(const Session& session, const std::string& path, const reader::Node& node) {
  std::string line = session.shown(path);
  if (format::is_directory(node.mode)) line += '/';
  return line + "\n";
}

/// Lists what would be written.
int list_only(Session& session, const reader::Image& image, ExtractCommand& command) {
  if (!command.quiet) session.show_progress("listing");
  command.extract.failed = [&](const std::string& path, const Error& error) {
    session.complain(path.empty() ? "." : path, error.message());
  };
  const auto visit = [&](const std::string& path, const reader::Node& node) {
    if (!command.extract.wanted) session.passed();  // else wanted() has called it
    const std::string_view shown = path.empty() ? "." : std::string_view(path);
    if (command.json) return session.print(node_json(image, shown, node).line());
    if (!path.empty()) session.print(entry_line(session, path, node));
  };
  const auto report = reader::plan_extract(image, command.extract, visit);
  if (!report) return session.fail(report.error());
  if (command.json) session.print(as_json(command, report.value()).line());
  return report_failures(session, report.value());
}

void print_summary(const Session& session, const ExtractCommand& command,
                   const reader::ExtractReport& report, std::uint64_t elapsed_ns) {
  if (command.json) {
    auto json = as_json(command, report);
    json.add("elapsed_seconds", static_cast<double>(elapsed_ns) / 1e9);
    return session.print(json.line());
  }
  if (command.quiet) return;
  const auto skipped =
      report.skipped == 0 ? "" : fmt::format(", {} existed", grouped(report.skipped));
  session.print(fmt::format("{}, {} in {}{}\n", counted(report.entries, "entry", "entries"),
                            size_text(report.content_bytes), duration_text(elapsed_ns), skipped));
}

/// If the destination itself cannot be made or entered, nothing is in it.
int fail_to_write(const Session& session, const ExtractCommand& command, const Error& error) {
  if (error.file() == command.destination) return session.fail(error, "nothing was extracted");
  const auto left = "the files written so far stay in " + shell_quoted(command.destination);
  if (!command.ended_by) return session.fail(error, left);
  const auto option = option_without(*command.ended_by);
  return session.fail(error, option + (option.empty() ? "" : ", ") +
                                 "--keep-going goes on after failures; " + left);
}

/// Reports each failure; clears the progress bar first.
void report_to(const Session& session, ProgressBar& bar, ExtractCommand& command) {
  command.extract.failed = [&](const std::string& path, const Error& error) {
    bar.clear();
    session.complain(path.empty() ? "." : path, error.message());
  };
  command.extract.lost_attribute = [&](const std::string& path,
                                       const reader::LostAttribute& attribute, const Error& error) {
    if (!command.extract.keep_going) {
      command.ended_by = attribute.kind;  // reported with the error that ends the extraction
      return;
    }
    bar.clear();
    session.complain(path.empty() ? "." : path, lost_attribute_text(attribute, error));
  };
  command.extract.copied = [&](const std::string& path, const Error& why) {
    bar.clear();
    session.complain(path, further_copy_text(why));
  };
}

int write(const Session& session, const reader::Image& image, ExtractCommand& command) {
  ProgressBar bar(session.io(), command.quiet);
  report_to(session, bar, command);
  command.extract.progress = [&](const reader::ExtractProgress& now) {
    // The total is not known for a part of an image.
    const bool is_total_known = now.content_bytes_total != 0;
    bar.update("extracting", is_total_known ? now.content_bytes : now.entries,
               now.content_bytes_total);
  };
  const std::uint64_t start_ns = session.env().monotonic_ns();
  const Result<reader::ExtractReport> result =
      reader::extract(image, session.env(), command.destination, command.extract);
  bar.clear();
  if (!result) return fail_to_write(session, command, result.error());
  print_summary(session, command, result.value(), session.env().monotonic_ns() - start_ns);
  return report_failures(session, result.value());
}

/// Adds the options for names that DEST has already. The last one given counts.
void add_existing_options(OptionParser& options, reader::ExtractOptions& extract) {
  const auto add = [&](const char* name, const char* help, reader::ExistingNames existing) {
    options.on_flag(name, help, [&extract, existing](const auto&) -> Status {
      extract.existing = existing;
      return ok();
    });
  };
  add("--overwrite",
      "Replace files that exist, each once the new one is complete; directories are entered, and "
      "get the attributes of the image",
      reader::ExistingNames::kReplace);
  add("--skip-existing",
      "Leave files that exist as they are, without a message, and the attributes of directories "
      "that exist",
      reader::ExistingNames::kSkip);
}

/// Adds the options that set how entries are written, and with which attributes.
void add_options(OptionParser& options, reader::ExtractOptions& extract) {
  options.number("-j,--jobs", "N", "Writing threads (0, the default: one per core)", extract.jobs);
  options.flag("-k,--keep-going", "Report failures, go on, and end with status 1",
               extract.keep_going);
  add_restore_options(options, extract);
}

}  // namespace

int run_extract(const ToolIo& io, const Arguments& arguments) {
  Session session(io, "extract");
  OptionParser options(
      {"dgfs extract", "IMAGE DEST [PATH]...",
       "Writes everything, or only the given paths and what the rules keep, below the directory "
       "DEST, which is made if missing. Existing files are not overwritten, unless --overwrite is "
       "given, and a file gets its name only when it is complete. Root gets owners, devices and "
       "all attributes restored, "
       "other users as much as the system allows. Device nodes that cannot be made are reported, "
       "and the exit status is 1 then."});
  ImageOptions image_options;
  ExtractCommand command;
  reader::ExtractOptions& extract = command.extract;
  extract.privileged = io.env.user_id() == 0;
  RuleOptions rule_options;
  image_options.add_to(options);
  rule_options.add_to(options);
  options.flag("-n,--dry-run", "Only list what would be written", command.dry_run);
  add_existing_options(options, extract);
  add_options(options, extract);
  options.flag("-q,--quiet", "Print no progress and no summary", command.quiet);
  options.flag("--json", "Print the summary as a JSON object; with --dry-run, also each entry",
               command.json);
  options.manual(extract_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 2, SIZE_MAX);
  if (exit_code) return *exit_code;
  if (const auto refused = session.refuse_streams({operands.data() + 1, 1})) return *refused;
  auto choice = rule_options.read(io);
  if (!choice) return session.fail(choice.error(), "nothing was extracted");
  const rules::PathRules& rules = choice.value().rules;
  if (!rules.empty()) {
    extract.wanted = [&](std::string_view path, bool is_directory) {
      session.passed();
      return rules.includes(path, is_directory);
    };
  }
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;
  // Paths in a list are literal; only operands can be patterns.
  std::vector<std::string>& paths = choice.value().paths;
  bool sound = true;
  const auto typed =
      expand_patterns(session, *image, {operands.begin() + 2, operands.end()}, sound);
  if (!sound && !extract.keep_going) {
    session.complain("nothing was extracted; -k extracts the matching names that can be read");
    return kExitFailed;
  }
  paths.insert(paths.end(), typed.begin(), typed.end());
  if (!find_paths(session, *image, paths, extract.keep_going, extract.paths, sound)) {
    return kExitFailed;
  }
  if (!paths.empty() && extract.paths.empty()) return kExitFailed;  // all of them are damaged
  extract.stop = &io.stop;
  command.destination = operands[1];
  const int code =
      command.dry_run ? list_only(session, *image, command) : write(session, *image, command);
  return sound ? code : std::max(code, kExitFailed);
}

}  // namespace dgfs::tools
