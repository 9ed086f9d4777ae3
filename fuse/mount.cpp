// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount.h"

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
#include "fuse/view/view_file_system.h"
#include "fuse/view/view_opener.h"

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

// The state of one call of mount().
struct Mounting {
  storage::Env& env;
  const MountOptions& options;
  const MountArguments& arguments;
  DamageLog& log;
  RequestCounters& counters;
  const std::string mount_point;

  [[nodiscard]] Status serve(FileSystem& tree) const {
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
    return fuse::serve(service, options, arguments, mount_point);
  }
};

Status mount_image(const Mounting& mounting, const reader::Image& image) {
  const auto& arguments = mounting.arguments;
  ImageFileSystem tree(
      image, mounting.counters,
      {arguments.overrides, arguments.max_read_bytes, arguments.prefetch, arguments.allows_idmaps});
  return mounting.serve(tree);
}

// When serving ends, for whatever reason, a checkpoint is made and the store is closed.
Status mount_view(const Mounting& mounting, const reader::Image& image,
                  const view::ViewMemory& memory) {
  const auto& arguments = mounting.arguments;
  DGFS_TRY(opened, open_view(mounting.env, image, arguments, memory, mounting.options.tell));
  const auto delta_path = from_root(absolute(*arguments.delta_path));
  mounting.log.set_delta(delta_path);
  ViewFileSystem tree(*opened.view, *opened.delta, image, mounting.counters,
                      {.delta_path = delta_path,
                       .mount_point = mounting.mount_point,
                       .writes_back = arguments.writes_back,
                       .is_read_only = arguments.is_read_only,
                       .max_read_bytes = arguments.max_read_bytes,
                       .overrides = arguments.overrides,
                       .allows_idmaps = arguments.allows_idmaps});
  const auto served = mounting.serve(tree);
  if (arguments.is_read_only) return served;
  const auto closed = opened.view->close();
  return served ? closed : served;
}

// Opens an existing delta without writing; does not make a missing one, which a mount would.
Status try_view(const Mounting& mounting, const reader::Image& image,
                const view::ViewMemory& memory) {
  auto arguments = mounting.arguments;
  arguments.is_read_only = true;
  DGFS_TRY(is_vacant, is_vacant_delta(mounting.env, arguments));
  if (is_vacant) return ok();
  DGFS_CHECK(open_view(mounting.env, image, arguments, memory, {}));
  return ok();
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
  // glibc keeps much of the freed memory: the process would use half again as much as memory=.
  if (arguments.delta_path) delta::give_back_freed_memory();
  DamageLog damage_log(env, std::move(log));
  const view::ViewMemory memory(arguments.memory_bytes);
  reader::OpenOptions shared;
  if (arguments.delta_path) memory.share_with(shared);
  DGFS_TRY(opened, open_image(env, options, arguments, damage_log, shared.caches));
  RequestCounters own_counters;
  const Mounting mounting{env,
                          options,
                          arguments,
                          damage_log,
                          options.counters != nullptr ? *options.counters : own_counters,
                          absolute(options.mount_point)};
  const auto done = arguments.delta_path ? options.dry_run
                                               ? try_view(mounting, *opened.image, memory)
                                               : mount_view(mounting, *opened.image, memory)
                                         : mount_image(mounting, *opened.image);
  // A daemon can report errors only to its log.
  if (!done && damage_log.is_redirected()) {
    damage_log.write("the mount on " + mounting.mount_point, done.error());
  }
  return done;
}

}  // namespace dgfs::fuse
