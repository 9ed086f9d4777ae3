// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount.h"

#include <algorithm>
#include <cstdlib>

#include "format/mode.h"
#include "fuse/damage_log.h"
#include "fuse/logger.h"
#include "fuse/mount_arguments.h"
#include "fuse/server.h"
#include "fuse/session.h"

namespace dgfs::fuse {
namespace {

// Threads wait for the device most of the time where it matters, so there are more than cores.
constexpr unsigned kThreadsMin = 8;
constexpr unsigned kThreadsPerCore = 2;

// A daemon leaves its working directory, and the table of mounts is read from anywhere. Paths that
// cannot be resolved are left to fail where they are used.
std::string absolute(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

Status check_mount_point(const storage::Env& env, const std::string& path) {
  DGFS_TRY(status, env.status(path));
  if (!format::is_directory(status.mode)) {
    return Error(ErrorKind::kNotDirectory, 5030, "not a directory").in_file(path);
  }
  return ok();
}

Result<std::unique_ptr<const reader::Image>> open_image(storage::Env& env,
                                                        const MountOptions& options,
                                                        DamageLog& log) {
  auto open = options.open;
  open.warn = [&log, also = options.open.warn](const Error& error) {
    log.warn(error.message());
    if (also) also(error);
  };
  return reader::Image::open(env, options.image_path, std::move(open));
}

unsigned thread_count(const storage::Env& env, unsigned asked) {
  return asked != 0 ? asked : std::max(kThreadsMin, kThreadsPerCore * env.processor_count());
}

}  // namespace

Status mount(storage::Env& env, const MountOptions& options, std::shared_ptr<spdlog::logger> log) {
  DGFS_TRY(arguments, mount_arguments(options.options, absolute(options.image_path)));
  DGFS_CHECK(check_mount_point(env, options.mount_point));
  DamageLog damage_log(env, std::move(log));
  DGFS_TRY(image, open_image(env, options, damage_log));

  RequestCounters own_counters;
  Server server{.image = *image,
                .log = damage_log,
                .counters = options.counters != nullptr ? *options.counters : own_counters,
                .max_read_bytes = arguments.max_read_bytes};
  DGFS_TRY(session, Session::create(server, arguments.arguments));
  DGFS_CHECK(session.mount(absolute(options.mount_point)));
  if (!options.foreground) {
    DGFS_CHECK(session.daemonize());
    damage_log.redirect(make_system_logger());
  }
  return session.run(thread_count(env, options.threads));
}

}  // namespace dgfs::fuse
