// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/umount_note.h"

#include <array>

#include "fuse/mount_table.h"
#include "storage/posix/program.h"

namespace dgfs::fuse {
namespace {

// Where umount(8) looks for it.
constexpr const char* kHelper = "/sbin/umount.fuse.dgfs";

}  // namespace

// As libfuse does for systems that keep a table in a file. -c: mount(8) must not look at the mount,
// which nobody serves yet; -f: it mounts nothing; -i: it calls no helper.
UmountNote::UmountNote(storage::Env& env, const std::string& source, const std::string& mount_point)
    : env_(env), mount_point_(mount_point) {
  if (env.user_id() != 0 || !env.status(kHelper)) return;
  const std::array<std::string, 9> arguments{"-c", "-f",           "-i",   "-t",       "fuse.dgfs",
                                             "-o", "uhelper=dgfs", source, mount_point};
  is_made_ = storage::run_silently("/bin/mount", arguments);
}

// Another mount may have been made there meanwhile, with a note of its own. A note that stays
// behind is for no mount, and umount(8) of the next one removes it.
UmountNote::~UmountNote() {
  if (!is_made_) return;
  const auto table = read_mount_table(env_);
  if (!table || find_mount(table.value(), mount_point_)) return;
  const std::array<std::string, 4> arguments{"-c", "-i", "--fake", mount_point_};
  static_cast<void>(storage::run_silently("/bin/umount", arguments));
}

}  // namespace dgfs::fuse
