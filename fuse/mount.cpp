// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "format/entry/mode.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "fuse/ahead/kernel_read_ahead.h"
#include "fuse/damage_log.h"
#include "fuse/logger.h"
#include "fuse/mount_arguments.h"
#include "fuse/server.h"
#include "fuse/session.h"
#include "storage/offset_env.h"

namespace dgfs::fuse {
namespace {

// Threads wait for the device most of the time where it matters, so there are more than cores.
constexpr unsigned kThreadsMin = 8;
constexpr unsigned kThreadsPerCore = 2;

// The table of mounts is read from anywhere. Paths that cannot be resolved are left to fail where
// they are used.
std::string absolute(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

// A daemon leaves its working directory, and opens volumes and the second index copy when they are
// needed. Links are kept, since files are looked for beside them.
std::string from_root(const std::string& path) {
  return path.empty() || path.front() == '/' ? path : absolute(".") + "/" + path;
}

Status check_mount_point(const storage::Env& env, const std::string& path) {
  DGFS_TRY(status, env.status(path));
  if (!format::is_directory(status.mode)) {
    return Error(ErrorKind::kNotDirectory, 5030, "not a directory").in_file(path);
  }
  return ok();
}

reader::OpenOptions open_options(const MountOptions& options, const MountArguments& arguments,
                                 DamageLog& log) {
  auto open = options.open;
  if (arguments.index_path) open.index_path = arguments.index_path;
  if (open.index_path) open.index_path = from_root(*open.index_path);
  open.volume_paths.insert(open.volume_paths.end(), arguments.volume_paths.begin(),
                           arguments.volume_paths.end());
  for (auto& path : open.volume_paths) path = from_root(path);
  open.page_cache_bytes = arguments.page_cache_bytes.value_or(open.page_cache_bytes);
  open.frame_cache_bytes = arguments.frame_cache_bytes.value_or(open.frame_cache_bytes);
  open.check_contents = arguments.check != Check::kOff;
  open.warn = [&log, also = options.open.warn](const Error& error) {
    log.warn(error);
    if (also) also(error);
  };
  return open;
}

// With offset= the user says where the image is. Elsewhere an index beside it would still open, and
// every read fail.
Status check_offset(storage::Env& image_env, const std::string& path, std::uint64_t offset_bytes) {
  if (offset_bytes == 0) return ok();
  DGFS_TRY(file, image_env.open(path, {}));
  Buffer page(format::kPageBytes);
  DGFS_TRY(count, file->read_at(0, page));
  if (count == page.size() && format::decode_volume_header(page)) return ok();
  return Error(ErrorKind::kInvalidArgument, 5032,
               fmt::format("option offset={}: no image begins there", offset_bytes))
      .in_file(path);
}

// Opens the volumes, so that they serve this mount as long as it lasts, whatever becomes of their
// names. One that is missing or damaged keeps no other from being mounted: it is looked for again
// whenever a file in it is read.
void open_volumes(const reader::Image& image, const std::string& image_path,
                  const std::function<void(const Error&)>& warn) {
  // Of an image that was opened by its index it has been told that it is missing.
  const auto [role, path] = image.files().front();
  const bool is_told = role == "index" && path != image_path;
  for (const auto& record : image.volumes()) {
    const auto checked = image.check_volume(record.number);
    if (checked) continue;
    const bool is_missing = checked.error().kind() == ErrorKind::kNotFound;
    if (!(is_told && is_missing && record.number == 0)) warn(checked.error());
  }
}

// Reads the whole index, and the header pages of the image, before anybody depends on them. What
// further volumes lack costs only files of their own.
Status check_index(const reader::Image& image, const std::string& image_path,
                   const CheckProgress& progress, DamageLog& log) {
  std::size_t damaged_places = 0;
  const auto hide = [&] {
    if (progress.hide) progress.hide();
  };
  const auto is_image = [](format::VolumeNumber number) { return number == 0; };
  DGFS_CHECK(image.verify_index(
      [&](const Error& error) {
        ++damaged_places;
        hide();
        if (log.is_due(error)) log.write("check of the index", error);
      },
      is_image,
      [&](std::uint64_t bytes, std::uint64_t bytes_total) {
        if (progress.show) progress.show(bytes, bytes_total);
        return true;
      }));
  hide();
  if (damaged_places == 0) return ok();
  return Error(ErrorKind::kCorrupt, 5031,
               fmt::format("the index has {} damaged places; 'dgfs verify' tells more, "
                           "check=data mounts all the same",
                           damaged_places))
      .in_file(image_path);
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
  // What is not there may still be opened by its index.
  const auto source = from_root(absolute(options.image_path));
  DGFS_TRY(arguments, mount_arguments(options.options, source, env.user_id()));
  DGFS_CHECK(check_mount_point(env, options.mount_point));
  DamageLog damage_log(env, std::move(log));
  const auto image_path = from_root(options.image_path);
  const auto shifted_env = storage::make_offset_env(env, image_path, arguments.offset_bytes);
  storage::Env& image_env = arguments.offset_bytes == 0 ? env : *shifted_env;
  DGFS_CHECK(check_offset(image_env, image_path, arguments.offset_bytes));
  const auto open = open_options(options, arguments, damage_log);
  DGFS_TRY(image, reader::Image::open(image_env, image_path, open));
  for (const auto& path : open.volume_paths) {
    const auto status = image->check_is_volume(path);
    if (!status) open.warn(status.error());
  }
  open_volumes(*image, image_path, open.warn);
  if (arguments.check == Check::kAll) {
    DGFS_CHECK(check_index(*image, image_path, options.check_progress, damage_log));
  }

  const auto mount_point = absolute(options.mount_point);
  RequestCounters own_counters;
  auto& counters = options.counters != nullptr ? *options.counters : own_counters;
  Prefetcher prefetcher(*image, counters);
  Server server{.image = *image,
                .log = damage_log,
                .counters = counters,
                .prefetcher = prefetcher,
                .overrides = arguments.overrides,
                .on_first_request =
                    [&env, &mount_point] {
                      // Without it large files come as fast as the kernel wants to.
                      static_cast<void>(raise_read_ahead(env, mount_point));
                    },
                .first_request = {},
                .begin_ns = env.monotonic_ns(),
                .max_read_bytes = arguments.max_read_bytes};
  DGFS_TRY(session, Session::create(server, arguments.arguments));
  if (options.dry_run) return ok();
  DGFS_CHECK(session.mount(mount_point));
  if (!options.foreground) {
    DGFS_CHECK(session.daemonize());
    damage_log.redirect(make_system_logger());
  }
  const auto threads =
      thread_count(env, options.threads != 0 ? options.threads : arguments.threads);
  if (arguments.prefetch && threads > 1) session.attach(prefetcher);
  return session.run(threads);
}

}  // namespace dgfs::fuse
