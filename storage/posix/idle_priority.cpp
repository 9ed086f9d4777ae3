// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/idle_priority.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dgfs::storage {
namespace {

// ioprio_set(2), which the C library does not wrap.
constexpr int kWhoProcess = 1;
constexpr int kClassShift = 13;
constexpr int kClassIdle = 3;
constexpr int kNiceMax = 19;

}  // namespace

void take_idle_priority() noexcept {
  // Of this thread alone, as Linux counts.
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceMax));
  static_cast<void>(syscall(SYS_ioprio_set, kWhoProcess, 0, kClassIdle << kClassShift));
}

}  // namespace dgfs::storage
