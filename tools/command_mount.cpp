// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs mount: turns options into a call of dgfs::fuse::mount().
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "tools/cli/mount_helper.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/help/mount_help.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/typed_path.h"
#include "tools/text/date_text.h"

#ifdef DGFS_HAS_FUSE
#include "delta/control/control.h"
#include "fuse/logger.h"
#include "fuse/mount.h"
#include "fuse/remount.h"
#include "tools/info/live_statistics.h"
#endif

namespace dgfs::tools {
namespace {

struct MountCommand {
  std::string image_path;
  std::string mount_point;
  std::vector<std::string> options;  ///< split at commas
  ImageOptions image;
  std::optional<std::string> delta;
  bool foreground = false;
  bool dry_run = false;
  unsigned threads = 0;
};

/// Splits lists at commas. A backslash keeps a comma, as in FUSE options of mount(8). So do the
/// quotation marks around a security context, as in all options of mount(8).
std::vector<std::string> split_options(const std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (const std::string& list : lists) {
    std::string option;
    bool is_quoted = false;
    for (std::size_t i = 0; i <= list.size(); ++i) {
      if (i == list.size() || (list[i] == ',' && !is_quoted)) {
        if (!option.empty()) out.push_back(std::move(option));
        option.clear();
        is_quoted = false;
      } else if (list[i] == '"' && (is_quoted || option.ends_with("context="))) {
        is_quoted = !is_quoted;
        option += list[i];
      } else if (list[i] == '\\' && i + 1 < list.size()) {
        option += list[++i];
      } else {
        option += list[i];
      }
    }
  }
  return out;
}

#ifdef DGFS_HAS_FUSE
/// The mount is made, and goes on, even if nobody reads its messages. Programs that a later command
/// of this process starts must not inherit that.
class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoredPipeSignal() {
    if (before_ != SIG_ERR) std::signal(SIGPIPE, before_);
  }
  IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
  IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

// The daemon works with paths from the root.
Error with_typed_paths(const Error& error, const MountCommand& command) {
  constexpr std::string_view kDelta = "delta=";
  auto text = with_typed_path(error.message(), command.image_path);
  for (const std::string& option : command.options) {
    if (option.starts_with(kDelta)) {
      text = with_typed_path(std::move(text), option.substr(kDelta.size()));
    }
  }
  return {error.kind(), error.code(), std::move(text)};
}

int mount_image(const Session& session, const MountCommand& command) {
  fuse::MountOptions options;
  options.image_path = command.image_path;
  options.mount_point = command.mount_point;
  options.options = command.options;
  options.foreground = command.foreground;
  ProgressBar bar(session.io(), false);
  options.check_progress = {
      .show = [&bar](std::uint64_t bytes,
                     std::uint64_t total) { bar.update("checking", bytes, total); },
      .hide = [&bar] { bar.clear(); }};
  options.dry_run = command.dry_run;
  // Printed at once: libfuse ends this process when the daemon is ready.
  const IgnoredPipeSignal ignored;
  options.tell = [&session](const std::string& line) { session.io().out.write_note(line + "\n"); };
  options.threads = command.threads;
  // No warn callback: mount() also writes warnings to its log.
  options.open.index_path = command.image.index_path;
  options.open.volume_paths = command.image.volume_paths;
  const Status status = fuse::mount(session.env(), options, fuse::make_terminal_logger());
  if (status) return kExitDone;
  return session.fail(with_typed_paths(status.error(), command), "nothing was mounted");
}

Status check_options(const ToolIo& io, const MountCommand& command) {
  if (!fuse::is_remount(command.options)) {
    return fuse::check_mount_options(command.options, io.env.user_id());
  }
  // mount(8) passes all options of its tables; a mount keeps the values that it was given first.
  std::vector<std::string> others;
  for (const auto& option : command.options) {
    if (!fuse::is_of_remount(option)) others.push_back(option);
  }
  return fuse::check_mount_options(others, io.env.user_id());
}

bool has_option(const MountCommand& command, std::string_view name) {
  return std::find(command.options.begin(), command.options.end(), name) != command.options.end();
}

// Remounting read-only makes a checkpoint, as unmounting does.
int remount_image(const Session& session, const MountCommand& command) {
  const auto changes_flags =
      fuse::changes_flags(session.env(), command.mount_point, command.options);
  if (!changes_flags) return session.fail(changes_flags.error());
  const auto mount = live_mount(command.mount_point);
  if (!mount) return session.fail(mount.error());
  const auto& [delta_path, is_read_only] = mount.value();
  const auto wants_read_only = fuse::wants_read_only(command.options);
  auto options = command.options;
  if (wants_read_only == false && (!delta_path || is_read_only)) {
    // mount(8) passes rw wherever ro is not given.
    const bool is_asked_for = !has_option(command, kByMountProgram) || !changes_flags.value();
    if (is_asked_for) {
      session.complain(command.mount_point,
                       delta_path ? "is mounted read-only, as -o ro asked; to change it, unmount "
                                    "it and mount it without ro"
                                  : "is mounted read-only; to change it, unmount it and mount it "
                                    "with --delta");
      return kExitFailed;
    }
    options.emplace_back("ro");
  }
  if (command.dry_run) return kExitDone;
  const auto done = fuse::remount(session.env(), command.mount_point, options);
  if (!done) return session.fail(done.error());
  if (wants_read_only == true && delta_path && !is_read_only) {
    const auto checkpoint = delta::ask_holder(*delta_path, delta::kAskCheckpoint);
    if (!checkpoint)
      return session.fail(checkpoint.error(), "now read-only, but without checkpoint");
  }
  return kExitDone;
}

int mount_or_remount(const Session& session, const MountCommand& command) {
  return fuse::is_remount(command.options) ? remount_image(session, command)
                                           : mount_image(session, command);
}
#else
Status check_options(const ToolIo&, const MountCommand&) { return ok(); }

int mount_or_remount(const Session& session, const MountCommand&) {
  session.complain("this dgfs was built without FUSE; 'dgfs extract' writes the files out");
  return kExitFailed;
}
#endif

// If as_of= reads like a time, adds the time: a state may have that name as well. A time without
// fractions means all of its second, as 'dgfs delta log' shows it.
void add_time_of_state(const Time& now, std::vector<std::string>& options) {
  constexpr std::string_view kAsOf = "as_of=";
  const auto found = std::find_if(options.rbegin(), options.rend(), [&](const auto& option) {
    return std::string_view(option).starts_with(kAsOf);
  });
  if (found == options.rend()) return;
  const auto time = parse_date(found->substr(kAsOf.size()), now);
  if (!time || time.value().seconds < 0) return;
  const auto nanoseconds =
      time.value().nanoseconds == 0 ? kNsPerSecond - 1 : time.value().nanoseconds;
  options.push_back(fmt::format("as_of_time=@{}.{:09}", time.value().seconds, nanoseconds));
}

Manual mount_manual() {
  return {.paragraphs = {"With --delta, the mount can be written to. The image itself is not "
                         "changed: all changes go into the directory of the delta, which is made "
                         "if it is missing or empty. The next mount of the same image and delta "
                         "shows them again. After fsync(2), a change survives a power cut. A power "
                         "cut may lose the other changes of the last second, the latest ones first "
                         "(see -o commit). Back up a delta while it is not mounted, "
                         "once 'dgfs delta wait' has returned. 'dgfs build' "
                         "from the mount makes an image of what it shows.",
                         "Every byte that is read through the mount is checked against its "
                         "checksum. Damage gives EIO and a line in the log, never wrong data, "
                         "unless --check=off is given. An ordinary user can mount where "
                         "fusermount3(1) allows it. mount(8) finds this command as mount.dgfs, "
                         "for fstab(5) too."},
          .examples = {{"dgfs mount crawl.dgfs /mnt/crawl", "Mounts in the background."},
                       {"dgfs mount -o allow_other --index /ssd/crawl.idx crawl.dgfs /mnt/crawl",
                        "Lets other users in, and uses an index on another device."},
                       {"dgfs mount --delta crawl.delta crawl.dgfs /mnt/crawl",
                        "Mounts it to be changed, and keeps the changes in crawl.delta."},
                       {"dgfs mount --delta crawl.delta --as-of nightly-02 crawl.dgfs /mnt/then",
                        "Shows the tree as it was when that state was sealed."},
                       {"mount -t dgfs -o nosuid,nodev crawl.dgfs /mnt/crawl",
                        "Mounts it through mount(8)."},
                       {"dgfs mount -f crawl.dgfs /mnt/crawl",
                        "Stays in the foreground, as a service manager needs it."}},
          .exit_statuses = {{0, "Mounted; with -f: mounted, and then unmounted in good order."},
                            {1, "Nothing was mounted."},
                            {2, "Wrong usage."}},
          .see_also = {"fusermount3(1)", "umount(8)", "mount.fuse3(8)"}};
}

}  // namespace

int run_mount(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "mount");
  OptionParser options({"dgfs mount", "IMAGE DIR",
                        "Mounts an image on the directory DIR, read-only unless a delta is given, "
                        "and runs in the background. 'fusermount3 -u DIR' or 'umount DIR' "
                        "unmounts it."});
  MountCommand command;
  std::vector<std::string> option_lists;
  std::optional<std::string> check;
  std::optional<std::string> as_of;
  command.image.add_to(options);
  options.value("--delta", "D", "Allow changes in the mount, and keep them in the directory D",
                command.delta);
  options.value("--as-of", "STATE|TIME",
                "With --delta: show a state of it, or the newest one from a time or before, "
                "read-only; 'dgfs delta log' lists them",
                as_of);
  options.values("-o", "OPTION[,OPTION]...", "Mount options, as mount(8) takes them; see below",
                 option_lists);
  options.value("--check", "off|data|all",
                "Verify contents as they are read (data, the default); also the whole index "
                "before mounting (all); only the index, as it is read (off)",
                check);
  options.choices("--check", {"off", "data", "all"});
  options.flag("-f,--foreground", "Stay in the foreground until unmounted", command.foreground);
  options.flag("--dry-run", "Do everything but mount: open the image, check as --check says",
               command.dry_run);
  options.number("--threads", "N",
                 "Requests served at once (0, the default: 2 per core, at least 8)",
                 command.threads);
  options.choices("-o", mount_option_names());
  options.section(mount_option_section());
  options.manual(mount_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 2, 2);
  if (exit_code) return *exit_code;
  command.image_path = operands[0];
  command.mount_point = operands[1];
  command.options = split_options(option_lists);
  if (command.delta) command.options.push_back("delta=" + *command.delta);
  if (check) command.options.push_back("check=" + *check);
  if (as_of) command.options.push_back("as_of=" + *as_of);
  add_time_of_state(io.env.now(), command.options);
  if (const Status known = check_options(io, command); !known) {
    return session.fail_usage(known.error().message());
  }
  return mount_or_remount(session, command);
}

}  // namespace dgfs::tools
