// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/unmounting.h"

#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>

namespace dgfs::fuse {

bool unmount_as_user(const std::string& mount_point, bool lazily) {
  // -u a second time has no effect.
  std::array<std::string, 5> words{"fusermount3", "-u", lazily ? "-z" : "-u", "--", mount_point};
  std::array<char*, 6> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  std::array<char*, 1> environment{};
  pid_t child = 0;
  if (::posix_spawnp(&child, "fusermount3", nullptr, nullptr, arguments.data(),
                     environment.data()) != 0) {
    return false;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace dgfs::fuse
