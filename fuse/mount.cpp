// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount.h"

#include <functional>
#include <optional>
#include <utility>

#include "delta/store/process_memory.h"
#include "delta/view/view_memory.h"
#include "format/entry/mode.h"
#include "fuse/daemon_path.h"
#include "fuse/damage_log.h"
#include "fuse/dead_mount.h"
#include "fuse/image/image_file_system.h"
#include "fuse/image/image_opener.h"
#include "fuse/kernel_read_ahead.h"
#include "fuse/mount_arguments.h"
#include "fuse/service.h"
#include "fuse/serving.h"
#include "fuse/umount_note.h"
#include "fuse/view/view_file_system.h"
#include "fuse/view/view_opener.h"
#include "storage/posix/avoiding_env.h"
#include "storage/posix/mount_identity.h"
#include "storage/posix/path_mounts.h"

namespace dgfs::fuse {
namespace {

Status replace_dead_mount(storage::Env& env, const std::string& path,
                          const std::function<void(const std::string&)>& tell) {
  bool was_dead = false;
  // Several dead mounts may lie on top of each other.
  for (bool is_dead = true; is_dead; was_dead = was_dead || is_dead) {
    DGFS_TRY(removed, remove_dead_mount(env, absolute_mount_point(path)));
    is_dead = removed;
  }
  if (was_dead && tell) tell(path + ": unmounted a mount whose process was killed");
  return ok();
}

Status check_mount_point(const storage::Env& env, const std::string& path) {
  DGFS_TRY(status, env.status(path));
  if (!format::is_directory(status.mode)) {
    return Error(ErrorKind::kNotDirectory, 5030, "not a directory").in_file(path);
  }
  return ok();
}

bool lies_in(const std::string& path, const std::string& directory) {
  return path == directory || path.starts_with(directory + "/");
}

Error hidden_delta(const std::string& delta_path, const std::string& mount_point) {
  return Error(ErrorKind::kInvalidArgument, 5062,
               "the delta would lie below its own mount point " + mount_point +
                   ", which hides it from its mount, from 'dgfs delta' and from backups; put it "
                   "elsewhere")
      .in_file(delta_path);
}

// The files of a delta are opened by their paths, and its users need these too.
Status check_apart(const std::string& delta_path, const std::string& mount_point) {
  // The delta may be missing, but not its parent.
  const auto delta = absolute_mount_point(delta_path);
  if (lies_in(delta, mount_point)) return hidden_delta(delta_path, mount_point);
  if (!lies_in(mount_point, delta)) return ok();
  return Error(ErrorKind::kInvalidArgument, 5063,
               "the mount point lies in the delta " + delta + "; mount elsewhere")
      .in_file(mount_point);
}

// Later lookups must not lead through the mount. So the files below it are opened before.
void open_files_below(const reader::Image& image, const std::string& mount_point) {
  for (const auto& [role, path] : image.files()) {
    if (lies_in(absolute(path), mount_point)) return static_cast<void>(image.has_second_index());
  }
}

// The state of one call of mount().
struct Mounting {
  storage::AvoidingEnv& env;
  const MountOptions& options;
  const MountArguments& arguments;
  DamageLog& log;
  RequestCounters& counters;
  const std::string mount_point;
  const std::string delta_path;  ///< empty: there is none
  MountKeeper* keeper;           ///< null: the options need none

  // A mount also appears in the other places where its directory is mounted (bind mounts). It may
  // hide files there, too, and they are known only now.
  [[nodiscard]] Status after_mounting() const {
    if (keeper != nullptr) {
      DGFS_CHECK(keeper->mounted(mount_point));
    }
    const auto mount = storage::mount_of(mount_point);
    if (!mount) return ok();
    const auto device = mount.value().device;
    env.avoid(device);
    if (delta_path.empty() || !storage::leads_into(delta_path, device)) return ok();
    return hidden_delta(delta_path, mount_point);
  }

  /// Whether serving has begun. Set by serve().
  mutable bool was_served = false;

  /// @param on_mounted  runs once the mount is there; may be empty
  [[nodiscard]] Status serve(FileSystem& tree, std::function<void()> on_mounted = {}) const {
    Service service{.file_system = tree,
                    .env = env,
                    .log = log,
                    .counters = counters,
                    .on_first_request =
                        [this] {
                          // A failure only leaves the kernel's read-ahead as it is.
                          static_cast<void>(raise_read_ahead(env, mount_point));
                        },
                    .first_request = {},
                    .begin_ns = env.monotonic_ns()};
    const auto mounted = [&]() -> Status {
      DGFS_CHECK(after_mounting());
      if (on_mounted) on_mounted();
      return ok();
    };
    auto served = fuse::serve(service, options, arguments, mount_point, mounted, keeper);
    was_served = service.was_served;
    return served;
  }
};

Status mount_image(const Mounting& mounting, const reader::Image& image) {
  const auto& arguments = mounting.arguments;
  ImageFileSystem tree(
      image, mounting.counters,
      {arguments.overrides, arguments.max_read_bytes, arguments.prefetch, arguments.allows_idmaps});
  return mounting.serve(tree);
}

// When serving ends, for whatever reason, a checkpoint is made and the store is closed. A new delta
// whose mount never began goes again.
Status mount_view(const Mounting& mounting, GivenImage given, const view::ViewMemory& memory) {
  const auto& arguments = mounting.arguments;
  DGFS_TRY(opened, open_view(mounting.env, given, arguments, memory, mounting.options.tell));
  // Once the mount is there, a path may lead through it, and would wait for this process.
  const auto delta_path = from_root(absolute(*arguments.delta_path));
  const auto image_path = from_root(absolute(mounting.options.image_path));
  mounting.log.set_delta(delta_path);
  const bool is_base = given.image->superblock().uuid != opened.delta->manifest().image;
  given.image = nullptr;  // the view keeps what it needs
  ViewFileSystem tree(*opened.view, *opened.delta, mounting.counters,
                      {.delta_path = delta_path,
                       .mount_point = mounting.mount_point,
                       .image_path = is_base ? std::string() : image_path,
                       .writes_back = arguments.writes_back,
                       .is_read_only = arguments.is_read_only,
                       .seals = {arguments.seal_interval, arguments.seal_bytes},
                       .merges = {arguments.merge_bytes, arguments.merge_rate,
                                  arguments.memory_bytes, image_path, given.open},
                       .max_read_bytes = arguments.max_read_bytes,
                       .overrides = arguments.overrides,
                       .allows_idmaps = arguments.allows_idmaps});
  std::optional<UmountNote> note;
  const auto served = mounting.serve(tree, [&] {
    if (!arguments.is_read_only) {
      note.emplace(mounting.env, image_path, mounting.mount_point);
    }
    if (opened.made && mounting.options.tell) {
      mounting.options.tell(*arguments.delta_path +
                            " is new: it keeps all changes made in the mount");
    }
  });
  note.reset();
  if (arguments.is_read_only) return served;
  if (opened.made && !mounting.was_served) return served;  // the new delta goes again
  if (opened.made) opened.made->keep();
  const auto closed = opened.view->close();
  return served ? closed : served;
}

// Opens an existing delta without writing; does not make a missing one, which a mount would.
Status try_view(const Mounting& mounting, const GivenImage& given, const view::ViewMemory& memory) {
  auto arguments = mounting.arguments;
  arguments.is_read_only = true;
  DGFS_TRY(is_vacant, is_vacant_delta(mounting.env, arguments));
  if (is_vacant) return ok();
  DGFS_CHECK(open_view(mounting.env, given, arguments, memory, {}));
  return ok();
}

// A mount with a delta, whatever state of it is shown.
Status mount_or_try_view(const Mounting& mounting, GivenImage given,
                         const view::ViewMemory& memory) {
  const bool only_tries = mounting.options.dry_run;
  if (mounting.arguments.as_of) {
    DGFS_TRY(found, find_state_to_mount(mounting.env, given, mounting.arguments));
    if (found.shown_by == StateToMount::kImage) {
      DGFS_TRY(image,
               image_of_state(mounting.env, given, mounting.arguments, found.present.manifest));
      return only_tries ? ok() : mount_image(mounting, *image);
    }
  }
  return only_tries ? try_view(mounting, given, memory)
                    : mount_view(mounting, std::move(given), memory);
}

}  // namespace

Status check_mount_options(std::span<const std::string> options, std::uint32_t user_id) {
  const auto arguments = mount_arguments(options, "", user_id);
  if (!arguments && arguments.error().kind() == ErrorKind::kInvalidArgument) {
    return arguments.error();
  }
  return ok();
}

Status mount(storage::Env& env, const MountOptions& options, std::shared_ptr<spdlog::logger> log) {
  // The image file may be missing, because its index can be opened alone.
  const auto source = from_root(absolute(options.image_path));
  DGFS_TRY(arguments, mount_arguments(options.options, source, env.user_id()));
  if (!options.dry_run) {
    DGFS_CHECK(replace_dead_mount(env, options.mount_point, options.tell));
  }
  DGFS_CHECK(check_mount_point(env, options.mount_point));
  const auto mount_point = absolute(options.mount_point);
  const auto delta_path = arguments.delta_path ? from_root(*arguments.delta_path) : std::string();
  if (arguments.delta_path) {
    DGFS_CHECK(check_apart(delta_path, mount_point));
  }
  // The keeper is a copy of this process, which is small now and has only one thread.
  std::optional<MountKeeper> keeper;
  if (!options.dry_run && (arguments.unmounts_after_death || arguments.idle.count() != 0)) {
    DGFS_TRY(started, MountKeeper::start(env, mount_point, arguments.unmounts_after_death));
    keeper = std::move(started);
  }
  // glibc keeps much of the freed memory: the process would use half again as much as memory=.
  if (arguments.delta_path) delta::give_back_freed_memory();
  DamageLog damage_log(env, std::move(log));
  const view::ViewMemory memory(arguments.memory_bytes);
  reader::OpenOptions shared;
  if (arguments.delta_path) memory.share_with(shared);
  storage::AvoidingEnv avoiding(env);
  DGFS_TRY(opened, open_image(avoiding, options, arguments, damage_log, shared.caches));
  open_files_below(*opened.image, mount_point);
  RequestCounters own_counters;
  const Mounting mounting{avoiding,
                          options,
                          arguments,
                          damage_log,
                          options.counters != nullptr ? *options.counters : own_counters,
                          mount_point,
                          delta_path,
                          keeper ? &*keeper : nullptr};
  const auto serve = [&]() -> Status {
    if (!arguments.delta_path) return mount_image(mounting, *opened.image);
    // The image is let go once the delta has another base.
    GivenImage given{std::move(opened.image), options.image_path,
                     image_open_options(options, arguments, damage_log)};
    given.open.caches = shared.caches;
    return mount_or_try_view(mounting, std::move(given), memory);
  };
  const auto done = serve();
  // A daemon can report errors only to its log.
  if (!done && damage_log.is_redirected()) {
    damage_log.write("the mount on " + mounting.mount_point, done.error());
  }
  return done;
}

}  // namespace dgfs::fuse
