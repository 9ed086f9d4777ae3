// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta: shows what the stores of a delta consist of, checks the stores and their names, makes
// states and lists them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "delta/control/closing_wait.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_check.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/report_cap.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/info/copy_repair.h"
#include "tools/info/delta_wait.h"
#include "tools/info/live_delta.h"
#include "tools/info/names_check.h"
#include "tools/info/store_report.h"
#include "tools/paths/image_argument.h"
#include "tools/states/log.h"
#include "tools/states/seal.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

// The place of a store in a delta. A value.
struct StackPlace {
  std::string directory;
  delta::Manifest manifest;
  std::size_t index = 0;

  [[nodiscard]] const delta::StackedStore& store() const { return manifest.stores[index]; }
  [[nodiscard]] std::string path() const { return directory + "/" + store().name(); }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} of {}, from object {} and batch {} on", index + 1,
                       manifest.stores.size(), store().born_object, store().first_sequence);
  }
};

class DeltaCommand {
 public:
  struct Options {
    bool json = false;
    bool quiet = false;
    bool scan = false;
  };

  DeltaCommand(const Session& session, std::string directory, const Options& options)
      : session_(session), directory_(std::move(directory)), options_(options) {}
  /// For a store that is part of a delta.
  DeltaCommand(const Session& session, const StackPlace& place, const Options& options)
      : session_(session), directory_(place.path()), options_(options), place_(place) {}

  /// Prints facts to the output, damage to the error output.
  int info() {
    std::string damaged_list;
    const auto walked = walk(options_.scan, [&](const Error& error) {
      if (options_.json) {
        damaged_list += (damaged_list.empty() ? "" : ",") + json_string(error.message());
      } else if (cap_.take()) {
        session_.complain("damaged: " + error.message());
      }
    });
    if (!walked) return session_.fail(walked.error());
    delta::StoreReport report = walked.value();
    if (const auto stacked = check_place(report); !stacked) {
      ++report.damaged_places;
      if (options_.json) {
        damaged_list += (damaged_list.empty() ? "" : ",") + json_string(stacked.error().message());
      } else if (cap_.take()) {
        session_.complain("damaged: " + stacked.error().message());
      }
    }
    if (options_.json) {
      JsonObject object;
      object.add("store", directory_);
      add_place(object);
      add_store(object, report, options_.scan);
      session_.print(object.add_raw("damaged", "[" + damaged_list + "]").line());
    } else {
      if (const auto rest = cap_.rest("in the store")) session_.complain("damaged: " + *rest);
      session_.print(fmt::format("{:<11} {}\n", "store", shell_quoted(directory_)));
      if (place_) session_.print(fmt::format("{:<11} {}\n", "place", place_->text()));
      session_.print(store_text(report, options_.scan));
    }
    return report.damaged_places == 0 ? kExitDone : kExitFailed;
  }

  int check() {
    const auto walked = walk(true, [this](const Error& error) { tell(error); });
    if (!walked) return session_.fail(walked.error());
    delta::StoreReport report = walked.value();
    if (const auto stacked = check_place(report); !stacked) {
      ++report.damaged_places;
      tell(stacked.error());
    }
    const bool is_sound = report.damaged_places == 0;
    if (options_.json) {
      JsonObject line = summary(report);
      add_place(line);
      session_.print(line.line());
    } else if (!options_.quiet || !is_sound) {
      if (const auto rest = cap_.rest("in the store")) session_.print(*rest + "\n");
      if (const auto remark = check_remark(report); !remark.empty()) {
        session_.print(label() + "superblocks: " + remark + "\n");
      }
      session_.print(label() + check_summary(report) + "\n");
    }
    return is_sound ? kExitDone : kExitFailed;
  }

 private:
  Status check_place(const delta::StoreReport& report) const {
    if (!place_) return ok();
    DGFS_CHECK(delta::check_stacked(report.superblock, place_->manifest, place_->index,
                                    place_->directory));
    return delta::check_layer_end(report.log_sequence, place_->manifest, place_->index,
                                  place_->directory);
  }
  void add_place(JsonObject& object) const {
    if (!place_) return;
    const auto& store = place_->store();
    object.add("number", store.number)
        .add("delta", format::uuid_text(place_->manifest.delta))
        .add("image", format::uuid_text(place_->manifest.image))
        .add("born_object", store.born_object)
        .add("first_sequence", store.first_sequence);
  }
  [[nodiscard]] std::string label() const { return place_ ? place_->store().name() + ": " : ""; }

  Result<delta::StoreReport> walk(bool reads_runs, const delta::Damage::Sink& damaged) {
    ProgressBar bar(session_.io(), options_.quiet);
    delta::StoreCheckOptions how;
    how.reads_runs = reads_runs;
    how.locks = true;
    how.damaged = [&](const Error& error) {
      bar.clear();
      damaged(error);
    };
    how.progress = [&](const delta::CheckProgress& now) {
      if (now.total_bytes == 0) return bar.update("counting", now.nodes, 0);
      bar.update("checking", now.read_bytes, now.total_bytes);
    };
    how.stop = &session_.io().stop;
    return delta::check_store(session_.env(), directory_, how);
  }

  void tell(const Error& error) {
    if (options_.json) {
      JsonObject line;
      line.add("damaged", error.file());
      if (!error.section().empty()) line.add("section", error.section());
      if (error.offset()) line.add("offset", *error.offset());
      session_.print(line.add("reason", error.text()).line());
    } else if (cap_.take()) {
      session_.print(fmt::format("damaged: {}\n", printable(error.message())));
    }
  }

  static JsonObject summary(const delta::StoreReport& report) {
    JsonObject line;
    return line.add("sound", report.damaged_places == 0)
        .add("damaged_places", report.damaged_places)
        .add("unread_nodes", report.unread_nodes)
        .add("whole_superblocks", report.whole_superblocks)
        .add("nodes", report.nodes)
        .add("basements", report.basements)
        .add("waiting_runs", report.waiting_runs)
        .add("points", report.basement_points + report.waiting_points)
        .add("range_tombstones", report.waiting_tombstones)
        .add("log_groups", report.log_groups)
        .add("block_bytes", report.block_bytes());
  }

  const Session& session_;
  const std::string directory_;
  const Options options_;
  const std::optional<StackPlace> place_;  ///< none: a store by itself
  ReportCap cap_;
};

// Returns nullopt for a directory without a manifest, which may hold a single store. If a mount of
// the delta has just ended, waits until that has closed the delta.
Result<std::optional<delta::LockedManifest>> find_manifest(const Session& session,
                                                           const std::string& directory) {
  delta::ClosingWait closing(directory, [&](const std::string& line) { session.complain(line); });
  auto locked = delta::lock_manifest(session.env(), directory, delta::StoreAccess::kReadOnly);
  while (!locked && locked.error().kind() == ErrorKind::kBusy && closing.wait()) {
    locked = delta::lock_manifest(session.env(), directory, delta::StoreAccess::kReadOnly);
  }
  if (locked) return std::optional(std::move(locked).value());
  const auto kind = locked.error().kind();
  if (kind == ErrorKind::kNotFound || kind == ErrorKind::kNotDirectory) {
    return std::optional<delta::LockedManifest>();
  }
  return std::move(locked).error();
}

// Prints the facts about the manifest itself.
void show_manifest(const Session& session, const std::string& directory,
                   const delta::LockedManifest& locked, const DeltaCommand::Options& options,
                   bool checks) {
  if (options.json || (checks && options.quiet)) return;
  if (!checks) {
    const auto& manifest = locked.manifest;
    session.print(fmt::format("{:<11} {}\n", "delta", shell_quoted(directory)));
    session.print(fmt::format("{:<11} {}\n", "uuid", format::uuid_text(manifest.delta)));
    session.print(fmt::format("{:<11} {}\n", "image", format::uuid_text(manifest.image)));
    session.print(fmt::format("{:<11} {}, the newest is {}\n", "stores", manifest.stores.size(),
                              manifest.stores.back().name()));
  }
  if (const auto whole = delta::count_whole_slots(*locked.file); whole && whole.value() < 2) {
    const auto text = "one of the two slots is not whole; the other one is used";
    session.print(checks ? fmt::format("manifest: {}\n", text)
                         : fmt::format("{:<11} {}\n", "manifest", text));
  }
}

// @param stores  so many are shown or checked, from the oldest on
int run_stores(const Session& session, const std::string& directory,
               const delta::Manifest& manifest, std::size_t stores,
               const DeltaCommand::Options& options, bool checks) {
  int code = kExitDone;
  for (std::size_t index = 0; index < stores; ++index) {
    if (!checks && !options.json) session.print("\n");
    DeltaCommand command(session, StackPlace{directory, manifest, index}, options);
    code = std::max(code, checks ? command.check() : command.info());
    if (session.should_stop()) break;
  }
  return code;
}

// The manifest stays locked while this runs.
int run_stack(const Session& session, const std::string& directory,
              const delta::LockedManifest& locked, const DeltaCommand::Options& options,
              bool checks) {
  show_manifest(session, directory, locked, options, checks);
  return run_stores(session, directory, locked.manifest, locked.manifest.stores.size(), options,
                    checks);
}

// Names lie in all stores together, and their repair writes: so the caller has unlocked the
// manifest.
int check_names(const Session& session, const std::string& directory,
                const std::optional<std::string>& image_path, const ImageOptions& image_options,
                const NamesCheck::Options& options) {
  if (!image_path) {
    const bool is_told = !options.json && !options.quiet;
    if (is_told) session.print("names: not checked, because that needs the image (--image)\n");
    return kExitDone;
  }
  const auto image = open_image(session, *image_path, image_options);
  return image ? NamesCheck(session, options).run(directory, *image) : kExitFailed;
}

// A mount may still be closing the newest layer. All other troubles are found by the check.
Status wait_until_closed(const Session& session, const std::string& directory, std::size_t layers) {
  const auto find = [&](const delta::Manifest&) -> Result<std::size_t> { return layers; };
  const auto opened = delta::DeltaDirectory::open_state(session.env(), directory, find, {});
  const bool is_busy = !opened && opened.error().kind() == ErrorKind::kBusy;
  return is_busy ? Status(opened.error()) : ok();
}

// Checks the layers of a state, whether or not the delta is mounted, and their names.
int check_state(const Session& session, const std::string& directory, const std::string& state,
                const std::optional<std::string>& image_path, const ImageOptions& image_options,
                const DeltaCommand::Options& options) {
  const auto manifest = delta::read_present_manifest(session.env(), directory);
  if (!manifest) return session.fail(manifest.error());
  const auto layers = delta::find_state(manifest.value(), state, directory);
  if (!layers) return session.fail(layers.error());
  if (layers.value() == 0) {
    if (!options.json && !options.quiet) {
      session.print("base is the image alone, which 'dgfs verify' checks\n");
    }
    return kExitDone;
  }
  if (const auto closed = wait_until_closed(session, directory, layers.value()); !closed) {
    return session.fail(closed.error());
  }
  const int code = run_stores(session, directory, manifest.value(), layers.value(), options, true);
  if (session.should_stop()) return code;
  return std::max(code, check_names(session, directory, image_path, image_options,
                                    {options.json, options.quiet, false, state}));
}

// Shell completion leaves slashes at the end.
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Manual delta_manual() {
  return {
      .paragraphs =
          {"DIR is a delta: the directory that keeps the changes of an image. Its file MANIFEST "
           "names the stores in it. Each store is shown or checked under its number, the oldest "
           "first. DIR may also be a single store. Nothing is changed without --repair, and "
           "permission to read the files is enough. If the delta is mounted, 'info' shows what the "
           "mount reports, and 'check' is refused. The message names the process that holds the "
           "delta if the system reveals it: to root always, to other users for their own "
           "processes. If the mount has just ended, the command waits until the delta is closed.",
           "'info' shows what the store consists of, from its superblocks, log and nodes; with "
           "--scan it also reads all blocks, and counts what is in them. 'check' reads everything: "
           "it checks the checksums, the order of keys, that each key lies where a lookup finds "
           "it, that each block is used once, and that the log has no gap. It goes on after "
           "damage, but not below a lost node. The first 100 damaged places are listed and the "
           "others counted; --json lists all. A flipped bit in the last group of the log looks "
           "like a group that was cut short, and is not reported.",
           "With --image, 'check' compares the names, attributes and links in all stores with each "
           "other and with the image: each name leads to an object of its type, each directory has "
           "one name and is below the root, the counts of links and names are right, names that "
           "hide others are marked so, and nothing is lost. Each broken place is one line with its "
           "path, or with a number if no path is known; the last line counts them. The check needs "
           "some 50 bytes of memory for each changed directory that has subdirectories, and little "
           "else.",
           "With --repair, the same check runs if the stores are sound, mends what is broken and "
           "says how: it counts anew, drops names that lead nowhere and records that belong to no "
           "object, and saves objects without a name in /lost+found as '#NUMBER'. Without "
           "--repair nothing is changed, so 'check' alone shows what there is to mend; a repair "
           "may find more places, since one can lead to another. Copy the delta before a repair. A "
           "delta that is mounted, or that another command reads, is not repaired. If a crash or a "
           "full disk interrupts a repair, some places are mended and others still broken, and all "
           "sound names are unchanged: run it again.",
           "'seal' keeps the present state of the delta: all changes so far become a layer that "
           "never changes again, and later changes go into an empty store over it. The state gets "
           "an id and, with --name, a name of 1 to 64 letters, digits, '.', '_' and '-'. 'log' "
           "lists the states, the newest first, and at the end the image as 'base'. 'dgfs mount "
           "--as-of' shows a state, 'check --as-of' checks it. A delta has at most 16 layers. A "
           "layer keeps the space of what it holds, even if the files are removed later.",
           "'wait' waits until no process has the delta open for writing, and tells whom it waits "
           "for. It succeeds if the delta was closed in good order: then its directory is whole, "
           "and a copy of it is a backup. It fails if the process was killed; mount the delta once "
           "then, which recovers it.",
           "A copy that was taken while a process had the delta open for writing has files of "
           "different moments. Every command and every mount refuses it. 'repair' keeps what such "
           "a copy has, if all of that holds together; the last changes before and during the "
           "copying may be missing. Otherwise it changes nothing. After a crash of the mount or of "
           "the machine no repair is needed, since the files are the same. A crashed delta that "
           "was then moved to another disk, or copied, cannot be told from a torn copy.",
           kStoreHelp, kJsonHelp},
      .examples = {{"dgfs delta seal --name nightly-02 tree.delta",
                    "Keeps the present state under a name."},
                   {"dgfs delta log tree.delta", "Lists the states that were kept."},
                   {"dgfs delta info tree.delta", "Shows what the store consists of."},
                   {"dgfs delta check tree.delta", "Reads everything, with a progress bar."},
                   {"dgfs delta check --image tree.dgfs tree.delta", "Checks the names, too."},
                   {"dgfs delta check --repair --image tree.dgfs tree.delta",
                    "Mends broken names."},
                   {"dgfs delta wait tree.delta && cp -a tree.delta backup",
                    "Copies the delta of a mount that was just unmounted."},
                   {"dgfs delta repair backup",
                    "Keeps what a torn copy has, although changes may be missing."},
                   {"dgfs delta check -q tree.delta || echo damaged",
                    "Prints nothing if all is well."}},
      .exit_statuses = {{0, "Everything that was read is sound, or was mended."},
                        {1,
                         "There is damage that was not mended, the repair failed, the delta is in "
                         "use, or DIR holds none."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-info(1)", "dgfs-verify(1)"}};
}

}  // namespace

int run_delta(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "delta");
  OptionParser parser({"dgfs delta", "info|check|seal|log|wait|repair DIR",
                       "Shows what the stores of a delta consist of, checks every byte of them, "
                       "keeps the present state of the delta, lists such states, waits until the "
                       "delta is closed, or makes a torn copy of one usable."});
  DeltaCommand::Options options;
  parser.flag("--scan", "With info: also read all blocks, and count what is in them", options.scan);
  std::optional<std::string> image_path;
  ImageOptions image_options;
  bool repairs = false;
  parser.value("--image", "IMAGE", "With check: also check the names in delta and image",
               image_path);
  image_options.add_to(parser);
  parser.flag("--repair", "With check and --image: mend broken names", repairs);
  std::optional<std::string> name;
  std::optional<std::string> as_of;
  parser.value("--name", "NAME", "With seal: a name of the state", name);
  parser.value("--as-of", "STATE", "With check: check the layers up to this state", as_of);
  std::uint64_t seconds_max = 0;
  parser.number("--timeout", "SECONDS", "With wait: fail after this time (0, the default: never)",
                seconds_max);
  parser.flag("-q,--quiet", "Print no progress; with check, print only damage", options.quiet);
  parser.flag("--json", "Print JSON objects, one per line; with check, the summary comes last",
              options.json);
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
  if (as_of && repairs) return session.fail_usage("a state of the past is not repaired");
  if (name && name->empty()) return session.fail_usage("--name needs a name");
  if (seconds_max != 0 && action != "wait") {
    return session.fail_usage("--timeout is only for 'wait'");
  }
  if (action != "info" && options.scan) return session.fail_usage("--scan is only for 'info'");
  if (!checks && (image_path || repairs)) {
    return session.fail_usage("--image and --repair are only for 'check'");
  }
  if (repairs && !image_path) return session.fail_usage("--repair needs the image (--image)");
  const auto directory = without_slashes(operands[1]);
  if (action == "wait") return wait_until_closed(session, directory, {.seconds_max = seconds_max});
  if (action == "repair") return repair_copy(session, directory, options.quiet);
  if (seals) return seal_delta(session, directory, name.value_or(""), options.json);
  if (action == "log") return list_states(session, directory, options.json);
  if (as_of && *as_of != delta::kNewestState) {
    return check_state(session, directory, *as_of, image_path, image_options, options);
  }
  if (!checks) {
    if (const auto code = show_live_delta(session, directory, options.json)) return *code;
  }
  auto locked = find_manifest(session, directory);
  if (!locked) return session.fail(locked.error());
  if (!locked.value()) {
    if (image_path) return session.fail_usage("--image is not for a single store: it has no names");
    DeltaCommand command(session, directory, options);
    return checks ? command.check() : command.info();
  }
  const int code = run_stack(session, directory, *locked.value(), options, checks);
  if (!checks || session.should_stop()) return code;
  if (repairs && code != kExitDone) {
    session.complain("the stores are damaged, so their names are not repaired");
    return code;
  }
  locked.value().reset();
  return std::max(code, check_names(session, directory, image_path, image_options,
                                    {options.json, options.quiet, repairs}));
}

}  // namespace dgfs::tools
