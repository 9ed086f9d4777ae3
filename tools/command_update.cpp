// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs update: makes the newest state of a delta what a directory is.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "delta/control/closing_wait.h"
#include "delta/store/directory/states.h"
#include "delta/update/update.h"
#include "storage/posix/resolved_path.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/rule_options.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/paths/image_argument.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

struct UpdateCommand {
  update::UpdateRequest request;
  ImageOptions image_options;
  bool quiet = false;
  bool json = false;
};

// "6.1 s"
std::string seconds_text(std::uint64_t elapsed_ns) {
  const auto tenths = (elapsed_ns + 50'000'000) / 100'000'000;
  return fmt::format("{}.{} s", grouped(tenths / 10), tenths % 10);
}

// The newest state; an empty id: there is none.
delta::LayerFacts newest_state(const delta::Manifest& manifest) {
  const auto layers = delta::layers_of(manifest);
  if (layers != 0) return manifest.stores[layers - 1].layer;
  delta::LayerFacts facts;
  if (manifest.base) {
    facts.state = manifest.base->state;
    facts.name = manifest.base->name;
  }
  return facts;
}

void print_report(const Session& session, const UpdateCommand& command,
                  const update::UpdateReport& report) {
  const auto& request = command.request;
  if (command.json) {
    JsonObject line;
    line.add("updated", report.sealed.outcome.has_value());
    if (!request.dry_run) {
      const auto state = newest_state(report.sealed.manifest);
      line.add("id", delta::is_base(state.state) ? std::string(delta::kBaseState)
                                                 : delta::state_text(state.state));
      if (!state.name.empty()) line.add("name", state.name);
    }
    line.add("entries", report.entries)
        .add("changed", report.changed)
        .add("new", report.created)
        .add("removed", report.removed)
        .add("written_bytes", report.written_bytes)
        .add("lost", report.loss_count)
        .add("took_ms", report.elapsed_ns / 1'000'000);
    return session.print(line.line());
  }
  if (command.quiet) return;
  session.print(fmt::format(
      "{} {}: {}, {} changed, {} new, {} removed; {} in {}\n",
      request.dry_run ? "would update" : "updated", session.shown(request.delta_path),
      counted(report.entries, "entry", "entries"), grouped(report.changed), grouped(report.created),
      grouped(report.removed), size_text(report.written_bytes), seconds_text(report.elapsed_ns)));
}

// A script may go on with the name that it has asked for.
void complain_of_missing_name(const Session& session, const UpdateCommand& command,
                              const update::UpdateReport& report) {
  const auto& name = command.request.name;
  if (name.empty() || command.request.dry_run) return;
  if (newest_state(report.sealed.manifest).name == name) return;
  session.complain(fmt::format(
      "there is no state \"{}\": nothing has changed since {}", name,
      delta::state_title(report.sealed.manifest, delta::layers_of(report.sealed.manifest))));
}

int report_losses(const Session& session, const update::UpdateReport& report) {
  for (const builder::Loss& loss : report.losses) session.complain(loss.path, loss.reason);
  if (report.loss_count > report.losses.size()) {
    session.complain(grouped(report.loss_count - report.losses.size()) + " more are not listed");
  }
  if (report.loss_count == 0) return kExitDone;
  session.complain(counted(report.loss_count, "entry", "entries") +
                   " left as they are in the delta");
  return kExitFailed;
}

int run(const Session& session, UpdateCommand& command) {
  update::UpdateRequest& request = command.request;
  ProgressBar bar(session.io(), command.quiet || command.json);
  request.progress = [&](const update::UpdateProgress& now) {
    bar.update(now.is_scanning ? "scanning" : "comparing", now.entries, 0);
  };
  request.stop = &session.io().stop;
  delta::ClosingWait closing(request.delta_path,
                             [&](const std::string& line) { session.complain(line); });
  auto updated = update::update(session.env(), request);
  while (!updated && updated.error().kind() == ErrorKind::kBusy && !session.should_stop() &&
         closing.wait()) {
    updated = update::update(session.env(), request);
  }
  bar.clear();
  if (!updated) return session.fail(updated.error(), "nothing was updated");
  const update::UpdateReport& report = updated.value();
  print_report(session, command, report);
  complain_of_missing_name(session, command, report);
  if (const auto& outcome = report.sealed.outcome; outcome && outcome->unclosed) {
    session.complain(request.delta_path,
                     "the update was made, but files that nothing needs stay until the next "
                     "mount: " +
                         outcome->unclosed->message());
  }
  return report_losses(session, report);
}

void add_options(OptionParser& options, UpdateCommand& command, std::optional<std::string>& delta,
                 std::optional<std::string>& at, std::optional<std::string>& name) {
  update::UpdateRequest& request = command.request;
  options.value("--delta", "DIR", "The delta of IMAGE, also called D", delta);
  options.value(
      "--at", "PATH",
      "Update the directory PATH of the tree, not its root; PATH is made if the directory "
      "above it is there",
      at);
  options.flag("--delete", "Remove what SRC lacks, except what is excluded", request.deletes);
  options.flag("--checksum",
               "Compare the contents of all files, not only of those whose size or "
               "time differs",
               request.compares_all);
  options.value("--name", "NAME", "A name of the new state", name);
  options.flag("-k,--keep-going",
               "Leave entries that cannot be read, or keep changing, as they are in D; end with "
               "status 1",
               request.keep_going);
  options.flag("-n,--dry-run", "Change nothing; count what would be changed", request.dry_run);
  command.image_options.add_to(options);
}

Manual update_manual() {
  return {
      .paragraphs =
          {"After an update the newest state of D has what a build of SRC would keep: contents "
           "with their holes, modes, owners, times, links, devices, extended attributes with ACLs. "
           "A file is read if its size or time differs from that in D, and only chunks of it that "
           "differ are written (64 KiB each). Entries that D has and SRC lacks stay, unless "
           "--delete is given. If nothing differs, D stays as it is; --name then names its newest "
           "state.",
           "The update becomes a state of its own with one step at its end, which 'dgfs delta log' "
           "lists. If it fails or is interrupted before, D is as it was. Changes that D has since "
           "its newest state become a state first, in the same step.",
           "D must not be mounted for changes. States of it that are mounted with --as-of go on.",
           "Names of SRC that lead to one file lead to one file in D. A file of D is edited in "
           "place, unless a name that stays would show the edits; then the names of SRC get a file "
           "of their own. Files are not recognised by their contents: one that was renamed in SRC "
           "is written anew.",
           "A directory of D with a file at its place in SRC is removed if it is empty or --delete "
           "is given; otherwise, or if it holds entries that are excluded, the update fails. What "
           "is excluded is neither compared nor removed."},
      .examples = {{"dgfs update crawl.dgfs --delta crawl.delta --delete --name $(date +%F) "
                    "/data/crawl",
                    "Each night: keeps the state of the day, in the space of what has changed."},
                   {"dgfs update crawl.dgfs --delta crawl.delta --at mirror/debian --exclude "
                    "'*.tmp' /data/debian",
                    "Updates one subdirectory."}},
      .exit_statuses = {{0, "The newest state is what SRC is."},
                        {1,
                         "Nothing was updated; or, with --keep-going, some entries are as they "
                         "were. The messages say which."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-delta(1)", "dgfs-mount(1)", "dgfs-build(1)", "rsync(1)"}};
}

}  // namespace

int run_update(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "update");
  OptionParser options({"dgfs update", "IMAGE SRC",
                        "Makes the newest state of the delta of IMAGE (--delta) what the directory "
                        "SRC is."});
  UpdateCommand command;
  std::optional<std::string> delta;
  std::optional<std::string> at;
  std::optional<std::string> name;
  add_options(options, command, delta, at, name);
  RuleOptions rule_options;
  rule_options.add_to(options);
  options.flag("-q,--quiet", "Print no progress and no summary", command.quiet);
  options.flag("--json", "Print the summary as a JSON object", command.json);
  options.manual(update_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 2, 2);
  if (exit_code) return *exit_code;
  if (!delta) return session.fail_usage("the delta is missing (--delta DIR)");
  if (name && name->empty()) return session.fail_usage("--name needs a name");
  if (const auto refused = session.refuse_streams(operands)) return *refused;
  auto choice = rule_options.read(io);
  if (!choice) return session.fail(choice.error(), "nothing was updated");
  update::UpdateRequest& request = command.request;
  request.rules = std::move(choice.value().rules);
  request.paths = std::move(choice.value().paths);
  request.image_path = operands[0];
  request.source = operands[1];
  request.delta_path = *delta;
  while (request.delta_path.size() > 1 && request.delta_path.back() == '/') {
    request.delta_path.pop_back();
  }
  request.at = at.value_or("");
  request.name = name.value_or("");
  request.noted_image_path = storage::resolved_path(request.image_path).value_or("");
  const auto open = command.image_options.open_options(session);
  request.index_path = open.index_path;
  request.volume_paths = open.volume_paths;
  request.warn = open.warn;
  return run(session, command);
}

}  // namespace dgfs::tools
