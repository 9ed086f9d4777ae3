// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs salvage: writes the intact parts of a damaged image, and lists the rest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "format/entry/mode.h"
#include "reader/salvage/salvage.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/restore_options.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/node_facts.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

struct SalvageCommand {
  const Session& session;
  bool list = false;
  bool quiet = false;
  bool json = false;

  void kept(const std::string& path, const reader::Node& node) const {
    const std::string_view shown = path.empty() ? "." : std::string_view(path);
    if (json) {
      JsonObject line;
      return session.print(line.add("kept", shown).line());
    }
    const auto* slash = format::is_directory(node.mode) && !path.empty() ? "/" : "";
    session.print(fmt::format("kept: {}{}\n", shell_quoted(shown), slash));
  }

  void lost(const std::string& path, const Error& error) const {
    const auto shown = path.empty() ? std::string(".") : path;
    if (json) {
      JsonObject line;
      return session.print(line.add("lost", shown).add("reason", error.message()).line());
    }
    session.print(fmt::format("lost: {}: {}\n", shell_quoted(shown), printable(error.message())));
  }

  void lost_attribute(const std::string& path, const reader::LostAttribute& attribute,
                      const Error& error) const {
    const auto shown = path.empty() ? std::string(".") : path;
    if (json) {
      JsonObject line;
      line.add("lost_attribute", shown).add("attribute", attribute.name);
      return session.print(line.add("reason", error.message()).line());
    }
    session.print(fmt::format("lost attribute: {}: {}\n", shell_quoted(shown),
                              printable(lost_attribute_text(attribute, error))));
  }

  /// The reader's reason for one frame, without byte numbers: lost_range() prints them.
  static std::string reason_of(const Error& error) {
    auto reason = error.text();
    if (const auto colon = reason.rfind(": "); colon != std::string::npos) {
      reason = reason.substr(colon + 2);
    }
    if (error.file().empty() || !error.offset()) return reason;
    return fmt::format("{} ({} offset {})", reason, error.file(), *error.offset());
  }

  void lost_range(const std::string& path, const reader::LostRange& range,
                  const Error& error) const {
    if (json) {
      JsonObject line;
      line.add("lost_range", path).add("begin", range.begin).add("end", range.end);
      return session.print(line.add("reason", reason_of(error)).line());
    }
    session.print(fmt::format("lost: {}: bytes {}-{}: {}\n", shell_quoted(path), range.begin,
                              range.end - 1, printable(reason_of(error))));
  }

  void lost_index(const std::string& what) const {
    if (json) {
      JsonObject line;
      return session.print(line.add("lost_index", what).line());
    }
    session.print(fmt::format("lost: index: {}\n", printable(what)));
  }

  void summary(const reader::SalvageReport& report) const {
    if (json) return session.print(as_json(report).line());
    if (quiet && report.complete()) return;
    auto text = fmt::format("{} saved, {}", counted(report.entries, "entry", "entries"),
                            size_text(report.content_bytes));
    if (report.partial_files != 0) {
      text += fmt::format(", {} in part", counted(report.partial_files, "file"));
    }
    text += report.complete() ? "; nothing is lost" : "; lost: " + losses(report);
    session.print(text + "\n");
  }

 private:
  static std::string losses(const reader::SalvageReport& report) {
    std::vector<std::string> kinds;
    if (report.lost_entries != 0) kinds.push_back(counted(report.lost_entries, "entry", "entries"));
    if (report.lost_pages != 0) {
      kinds.push_back(
          fmt::format("all names in {} of the index", counted(report.lost_pages, "page")));
    }
    if (report.lost_attributes != 0) kinds.push_back(counted(report.lost_attributes, "attribute"));
    if (kinds.empty()) kinds.push_back(counted(0, "entry", "entries"));
    auto text = fmt::format("{}", fmt::join(kinds, " and "));
    if (report.devices_refused != 0) {
      text += fmt::format(", {} left out", counted(report.devices_refused, "device node"));
    }
    return text;
  }

  static JsonObject as_json(const reader::SalvageReport& report) {
    JsonObject json;
    json.add("complete", report.complete())
        .add("entries", report.entries)
        .add("content_bytes", report.content_bytes)
        .add("partial_files", report.partial_files)
        .add("lost_entries", report.lost_entries)
        .add("lost_pages", report.lost_pages)
        .add("lost_index_parts", report.lost_index_parts)
        .add("devices_refused", report.devices_refused)
        .add("lost_attributes", report.lost_attributes)
        .add("further_copies", report.further_copies);
    return json;
  }
};

Manual salvage_manual() {
  return {
      .paragraphs =
          {"Salvage works even if the image cannot be opened: it looks for the pieces of both "
           "copies of the index, each of which has its own checksum, and takes the intact ones of "
           "either copy. If the header pages and the superblocks are lost as well, it searches the "
           "whole file. Each line that begins with 'lost:' names something of the image that was "
           "not saved, and why. With --json each is an object, with the member lost (a path), "
           "lost_range (a path, with begin and end in bytes) or lost_index; the last object is the "
           "summary. A line that begins with 'lost attribute:' names an attribute that an entry "
           "was saved without: the image has lost it, or DEST cannot hold it. With --json it has "
           "the member lost_attribute (a path), and attribute, its name.",
           "Only checked data are written. Files that have lost a part of their contents are left "
           "out; with --partial, they are written with holes in place of the lost parts. If an "
           "index page has lost its record in the page directory, its entries go to "
           "DEST/lost+found/page-N, and the beginning of their paths may be missing. An object "
           "that has lost all its names goes there as inode-N. A directory whose own entry is lost "
           "is made accessible to its owner only.",
           "Run it on a copy of a failing device; ddrescue(1) makes one. If only one copy of the "
           "index is damaged, dgfs verify --fix-index mends it.",
           kJsonHelp},
      .examples = {{"dgfs salvage tree.dgfs out", "Writes everything intact into out."},
                   {"dgfs salvage --list tree.dgfs | grep ^lost",
                    "Lists what would be lost, and writes nothing."},
                   {"dgfs salvage --partial --json tree.dgfs out >report",
                    "Also writes damaged files, as far as they are intact."}},
      .exit_statuses = {{0, "Everything was saved."},
                        {1, "Something is lost, or could not be written."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-verify(1)", "dgfs-extract(1)", "ddrescue(1)"}};
}

void add_options(OptionParser& options, reader::SalvageOptions& salvage) {
  options.flag("--partial", "Write files that have lost a part, with holes in its place",
               salvage.partial);
  options.number("-j,--jobs", "N", "Writing threads (0, the default: one per core)", salvage.jobs);
  add_restore_options(options, salvage);
}

/// Passes all losses on to the command; clears the progress bar first.
void report_to(SalvageCommand& command, ProgressBar& bar, reader::SalvageOptions& salvage) {
  salvage.lost = [&](const std::string& path, const Error& error) {
    bar.clear();
    command.lost(path, error);
  };
  salvage.lost_range = [&](const std::string& path, const reader::LostRange& range,
                           const Error& error) {
    bar.clear();
    command.lost_range(path, range, error);
  };
  salvage.lost_attribute = [&](const std::string& path, const reader::LostAttribute& attribute,
                               const Error& error) {
    bar.clear();
    command.lost_attribute(path, attribute, error);
  };
  salvage.copied = [&](const std::string& path, const Error& why) {
    bar.clear();
    command.session.complain(path, further_copy_text(why));
  };
  salvage.lost_index = [&](const std::string& what) {
    bar.clear();
    command.lost_index(what);
  };
  salvage.progress = [&](const reader::ExtractProgress& now) {
    const bool has_contents = now.content_bytes_total != 0;
    bar.update("salvaging", has_contents ? now.content_bytes : now.entries,
               now.content_bytes_total);
  };
}

}  // namespace

int run_salvage(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "salvage");
  OptionParser options(
      {"dgfs salvage", "IMAGE [DEST]",
       "Writes every intact file of a damaged image below the directory DEST, which is made if "
       "missing, and lists what is lost. Existing files are never overwritten."});
  ImageOptions image_options;
  SalvageCommand command{session};
  reader::SalvageOptions salvage;
  salvage.privileged = io.env.user_id() == 0;
  image_options.add_to(options);
  options.flag("-n,--list", "Write nothing; list what would be kept and what is lost",
               command.list);
  add_options(options, salvage);
  options.flag("-q,--quiet", "Print no progress, and no summary if nothing is lost", command.quiet);
  options.flag("--json", "Print JSON objects, one per line, the summary last", command.json);
  options.manual(salvage_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 1, 2);
  if (exit_code) return *exit_code;
  if (command.list != (operands.size() == 1)) {
    return session.fail_usage(command.list ? "--list writes nothing; leave DEST out"
                                           : "DEST is missing (or use --list)");
  }
  if (const auto refused = session.refuse_streams({operands.data() + 1, operands.size() - 1})) {
    return *refused;
  }
  salvage.open = image_options.open_options(session);
  salvage.stop = &io.stop;
  ProgressBar bar(io, command.quiet);
  report_to(command, bar, salvage);
  const auto saved =
      command.list ? reader::list_salvage(session.env(), operands[0], salvage,
                                          [&](const std::string& path, const reader::Node& node) {
                                            bar.clear();
                                            command.kept(path, node);
                                          })
                   : reader::salvage(session.env(), operands[0], operands[1], salvage);
  bar.clear();
  if (!saved) return session.fail(saved.error());
  command.summary(saved.value());
  return saved.value().complete() ? kExitDone : kExitFailed;
}

}  // namespace dgfs::tools
