// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace dgfs::storage {

void posix_random(MutableBytes out) {
  while (!out.empty()) {
    const ssize_t count = ::getrandom(out.data(), out.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::abort();
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace dgfs::storage
