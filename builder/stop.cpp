// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/stop.h"

namespace dgfs::builder {

Status StopFlag::check() const {
  if (!is_set()) return ok();
  return Error(ErrorKind::kInterrupted, 4000, "interrupted");
}

}  // namespace dgfs::builder
