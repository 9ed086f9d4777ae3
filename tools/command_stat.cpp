// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs stat: prints all attributes of entries, as stat(1).
#include "base/json.h"
#include "format/entry/mode.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/ls/security_marks.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/image_path.h"
#include "tools/paths/node_facts.h"
#include "tools/paths/operand_pattern.h"
#include "tools/stat_format.h"
#include "tools/text/quoting.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

struct StatOptions {
  std::optional<StatFormat> format;
  bool ends_line = true;  ///< after each entry
  bool follow = false;
  bool json = false;
};

JsonObject stat_json(const reader::Image& image, const FoundNode& found, UserNames& users) {
  JsonObject json = node_json(image, found.path, found.node);
  json.add("ctime", utc_time(found.node.ctime))
      .add("atime", utc_time(found.node.atime))
      .add("allocated_bytes", allocated_bytes(found.node))
      .add("stored_bytes", found.node.stored_bytes);
  if (const auto& user = users.user(found.node.uid)) json.add("user", *user);
  if (const auto& group = users.group(found.node.gid)) json.add("group", *group);
  const Result<std::vector<Xattr>> xattrs = image.xattrs(found.node);
  if (xattrs && !xattrs.value().empty()) {
    JsonObject object;
    for (const Xattr& xattr : xattrs.value()) object.add(xattr.name, as_text(xattr.value));
    json.add("xattrs", object);
  }
  return json;
}

/// Returns false if the format shows a security context and the entry has none.
Result<bool> print_one(const Session& session, const reader::Image& image,
                       const std::string& operand, const StatOptions& options, UserNames& users) {
  DGFS_TRY(found, find_node(image, operand, options.follow ? Follow::kYes : Follow::kNo));
  if (options.json) {
    session.print(stat_json(image, found, users).line());
    return true;
  }
  StatSubject subject{.name = operand, .shown_name = session.shown(operand), .node = found.node};
  if (format::is_symlink(found.node.mode)) {
    DGFS_TRY(read, image.read_link(found.node));
    subject.target = std::move(read);
  }
  subject.printed = session.io().out_is_terminal ? Printed::kHarmless : Printed::kAsGnu;
  bool lacks_context = false;
  if (options.format) {
    if (options.format->shows_context()) {
      subject.context = security_marks(image, found.node).context;
      lacks_context = !subject.context;
    }
    session.print(options.format->print(subject, users));
  } else {
    if (!subject.target.empty()) subject.shown_name += " -> " + session.shown(subject.target);
    const StatFormat format = StatFormat::standard(format::is_device(found.node.mode));
    session.print(format.print(subject, users));
  }
  if (options.ends_line) session.print("\n");
  if (lacks_context) {
    session.complain_access("get the security context of", operand,
                            Error(ErrorKind::kNotFound, 6261, "No data available"));
  }
  return !lacks_context;
}

Manual stat_manual() {
  return {.paragraphs = {"An image that is not mounted has no device number and no mount point: %d "
                         "and %D print 0, and %m prints /. %C is the security context of SELinux, "
                         "or ? if there is none.",
                         kPatternHelp, kNamesHelp, kJsonHelp},
          .examples = {{"dgfs stat tree.dgfs bin/sh", "Shows all attributes of bin/sh."},
                       {"dgfs stat -c '%A %s %y %n' tree.dgfs README",
                        "Prints mode, size, time and name in one line."}},
          .see_also = {"dgfs-ls(1)", "stat(1)"}};
}

}  // namespace

int run_stat(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "stat");
  OptionParser options(
      {"dgfs stat", "IMAGE [PATH]...", "Shows all attributes of entries (default: the root)."});
  ImageOptions image_options;
  StatOptions stat;
  const auto set_format = [&stat](bool escapes) {
    return [&stat, escapes](const std::string& value) -> Status {
      DGFS_TRY(format, StatFormat::parse(value, escapes));
      stat.format = std::move(format);
      stat.ends_line = !escapes;
      return ok();
    };
  };
  options.on_value("-c,--format", "FORMAT", "Print this for each entry, as stat(1) does",
                   set_format(false));
  options.on_value("--printf", "FORMAT",
                   "Like --format, but with escapes like \\n, and no newline added",
                   set_format(true));
  options.on_flag("-t,--terse", "Print the numbers in one line, as stat(1) does",
                  [&stat](const auto&) -> Status {
                    if (!stat.format) stat.format = StatFormat::terse();
                    return ok();
                  });
  options.flag("-L,--dereference", "Follow links", stat.follow);
  options.flag("--json", "Print JSON objects, one per line", stat.json);
  image_options.add_to(options);
  options.manual(stat_manual());
  auto [operands, exit_code] = session.parse(options, arguments, 1, SIZE_MAX);
  if (exit_code) return *exit_code;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;

  operands.erase(operands.begin());
  if (operands.empty()) operands.emplace_back("/");
  UserNames users;
  int code = kExitDone;
  bool sound = true;
  for (const std::string& operand : expand_patterns(session, *image, operands, sound)) {
    if (session.should_stop()) break;
    const Result<bool> printed = print_one(session, *image, operand, stat, users);
    if (!printed) session.complain_access("stat", operand, printed.error());
    if (!printed || !printed.value()) code = kExitFailed;
  }
  return session.finish(sound ? code : kExitFailed);
}

}  // namespace dgfs::tools
