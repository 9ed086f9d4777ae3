// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace dgfs::storage {

// open(2) gives the lowest number that is free. O_PATH needs no device, no permission to read, and
// allows no I/O.
void occupy_standard_streams() noexcept {
  int fd = -1;
  do {
    fd = ::open("/", O_PATH);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

}  // namespace dgfs::storage
