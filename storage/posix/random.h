// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

#include "base/bytes.h"

namespace dgfs::storage {

/// Fills `out` with unpredictable bytes from the kernel's generator. This cannot fail on Linux 3.17
/// or later. If it fails, the program ends rather than go on with predictable bytes.
inline void posix_random(MutableBytes out) {
  while (!out.empty()) {
    const ssize_t count = ::getrandom(out.data(), out.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::abort();
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace dgfs::storage
