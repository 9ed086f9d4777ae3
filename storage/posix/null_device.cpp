// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/null_device.h"

#include <fcntl.h>

#include "storage/posix/os_error.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {

Status check_null_device() {
  static const std::string path = "/dev/null";
  const int fd = retry_interrupted([] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); });
  if (fd < 0) return os_error(1076, errno, "open", path);
  const UniqueFd opened(fd);
  return ok();
}

}  // namespace dgfs::storage
