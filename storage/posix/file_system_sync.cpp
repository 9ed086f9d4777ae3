// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/file_system_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include "storage/posix/os_error.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {

Status sync_file_system(const std::string& directory) {
  const UniqueFd opened(retry_interrupted(
      [&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!opened) return os_error(1206, errno, "open", directory);
  if (::syncfs(opened.get()) != 0) return os_error(1207, errno, "sync", directory);
  return ok();
}

}  // namespace dgfs::storage
