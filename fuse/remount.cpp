// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/remount.h"

#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

#include "fuse/daemon_path.h"
#include "fuse/mount_table.h"
#include "storage/posix/os_error.h"

namespace dgfs::fuse {
namespace {

struct Flag {
  std::string_view name;
  unsigned long flag;
  bool sets;
};
// The flags that a remount may change. Access times are left out: no mount updates them on reads.
constexpr Flag kFlags[] = {
    {"ro", MS_RDONLY, true},     {"rw", MS_RDONLY, false},   {"nosuid", MS_NOSUID, true},
    {"suid", MS_NOSUID, false},  {"nodev", MS_NODEV, true},  {"dev", MS_NODEV, false},
    {"noexec", MS_NOEXEC, true}, {"exec", MS_NOEXEC, false},
};
// Flags that stay unchanged: either the server follows them since it began, or they have no effect.
constexpr Flag kLastingFlags[] = {
    {"sync", MS_SYNCHRONOUS, true},
    {"dirsync", MS_DIRSYNC, true},
    {"lazytime", MS_LAZYTIME, true},
    {"nosymfollow", MS_NOSYMFOLLOW, true},
};

unsigned long with_option(std::span<const Flag> known, unsigned long flags,
                          std::string_view option) {
  for (const auto& flag : known) {
    if (flag.name == option) return flag.sets ? flags | flag.flag : flags & ~flag.flag;
  }
  return flags;
}

unsigned long with_options(std::span<const Flag> known, unsigned long flags,
                           std::string_view options) {
  while (!options.empty()) {
    const auto length = std::min(options.find(','), options.size());
    flags = with_option(known, flags, options.substr(0, length));
    options.remove_prefix(std::min(length + 1, options.size()));
  }
  return flags;
}

unsigned long with_options(std::span<const Flag> known, unsigned long flags,
                           std::span<const std::string> options) {
  for (const auto& option : options) flags = with_option(known, flags, option);
  return flags;
}

unsigned long present_flags(const MountEntry& mount) {
  auto flags = with_options(kFlags, 0, std::string_view(mount.options));
  for (const auto* options : {&mount.options, &mount.super_options}) {
    flags = with_options(kLastingFlags, flags, std::string_view(*options));
  }
  return flags;
}

Result<MountEntry> our_mount(storage::Env& env, const std::string& mount_point) {
  DGFS_TRY(table, read_mount_table(env));
  const auto mount = find_mount(table, absolute(mount_point));
  if (mount && mount->type == "fuse.dgfs") return *mount;
  return Error(ErrorKind::kNotFound, 5034, "no image is mounted here").in_file(mount_point);
}

}  // namespace

bool is_remount(std::span<const std::string> options) {
  return std::find(options.begin(), options.end(), "remount") != options.end();
}

bool is_of_remount(std::string_view option) {
  constexpr std::string_view kWords[] = {"remount", "ro", "rw", "default_permissions", "seclabel"};
  constexpr std::string_view kNames[] = {"fd", "rootmode", "user_id", "group_id", "blksize"};
  const auto is_named = [&](std::string_view name) {
    return option.starts_with(name) && option.substr(name.size()).starts_with('=');
  };
  return std::find(std::begin(kWords), std::end(kWords), option) != std::end(kWords) ||
         std::any_of(std::begin(kNames), std::end(kNames), is_named);
}

std::optional<bool> wants_read_only(std::span<const std::string> options) {
  std::optional<bool> wanted;
  for (const auto& option : options) {
    if (option == "ro" || option == "rw") wanted = option == "ro";
  }
  return wanted;
}

Result<bool> changes_flags(storage::Env& env, const std::string& mount_point,
                           std::span<const std::string> options) {
  DGFS_TRY(mount, our_mount(env, mount_point));
  const auto present = present_flags(mount);
  return ((present ^ with_options(kFlags, present, options)) & ~std::uint64_t{MS_RDONLY}) != 0;
}

Status remount(storage::Env& env, const std::string& mount_point,
               std::span<const std::string> options) {
  DGFS_TRY(mount, our_mount(env, mount_point));
  const auto flags = with_options(kFlags, present_flags(mount), options);
  if (::mount(nullptr, absolute(mount_point).c_str(), nullptr, flags | MS_REMOUNT, nullptr) == 0) {
    return ok();
  }
  return storage::os_error(5035, errno, "change the flags of the mount", mount_point);
}

}  // namespace dgfs::fuse
