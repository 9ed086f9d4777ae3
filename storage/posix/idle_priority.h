// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

namespace dgfs::storage {

/// From now on the calling thread, and threads that it starts, have the lowest priority for
/// processors (nice 19) and disks (ioprio_set(2) with the idle class). There is no way back, since
/// the system refuses that to most users: so the thread should take no lock that others wait for.
/// Where the system refuses even this, the priority stays. (With SCHED_IDLE it would hardly go on
/// while all processors are busy.)
void take_idle_priority() noexcept;

}  // namespace dgfs::storage
