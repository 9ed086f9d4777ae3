// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount.h"

#include <algorithm>

#include "format/entry/mode.h"
#include "fuse/daemon_path.h"
#include "fuse/damage_log.h"
#include "fuse/image/image_file_system.h"
#include "fuse/image/image_opener.h"
#include "fuse/kernel_read_ahead.h"
#include "fuse/logger.h"
#include "fuse/mount_arguments.h"
#include "fuse/service.h"
#include "fuse/session.h"

namespace dgfs::fuse {
namespace {

// Threads wait for the device most of the time where it matters, so there are more than cores.
constexpr unsigned kThreadsMin = 8;
constexpr unsigned kThreadsPerCore = 2;

Status check_mount_point(const storage::Env& env, const std::string& path) {
  DGFS_TRY(status, env.status(path));
  if (!format::is_directory(status.mode)) {
    return Error(ErrorKind::kNotDirectory, 5030, "not a directory").in_file(path);
  }
  return ok();
}

unsigned thread_count(const storage::Env& env, unsigned asked) {
  return asked != 0 ? asked : std::max(kThreadsMin, kThreadsPerCore * env.processor_count());
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
  // An image that is not there may still be opened by its index.
  const auto source = from_root(absolute(options.image_path));
  DGFS_TRY(arguments, mount_arguments(options.options, source, env.user_id()));
  DGFS_CHECK(check_mount_point(env, options.mount_point));
  DamageLog damage_log(env, std::move(log));
  DGFS_TRY(opened, open_image(env, options, arguments, damage_log));

  const auto mount_point = absolute(options.mount_point);
  RequestCounters own_counters;
  auto& counters = options.counters != nullptr ? *options.counters : own_counters;
  ImageFileSystem tree(*opened.image, counters, arguments.overrides, arguments.max_read_bytes);
  Service service{.file_system = tree,
                  .clock = env,
                  .log = damage_log,
                  .counters = counters,
                  .on_first_request =
                      [&env, &mount_point] {
                        // Without it large files come as fast as the kernel wants to.
                        static_cast<void>(raise_read_ahead(env, mount_point));
                      },
                  .first_request = {},
                  .begin_ns = env.monotonic_ns()};
  DGFS_TRY(session, Session::create(service, arguments.arguments));
  if (options.dry_run) return ok();
  DGFS_CHECK(session.mount(mount_point));
  if (!options.foreground) {
    DGFS_CHECK(session.daemonize());
    damage_log.redirect(make_system_logger());
  }
  const auto threads =
      thread_count(env, options.threads != 0 ? options.threads : arguments.threads);
  if (arguments.prefetch && threads > 1) tree.prefetcher.start(session.get());
  return session.run(threads);
}

}  // namespace dgfs::fuse
