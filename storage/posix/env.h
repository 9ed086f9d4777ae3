// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The real operating system. Its headers for I/O are included below storage/ alone, mostly here.
#pragma once

#include <memory>

#include "storage/env.h"

namespace dgfs::storage {

/// An Env over Linux system calls. Thread-safe; outlives the files opened through it.
[[nodiscard]] std::unique_ptr<Env> make_posix_env();

}  // namespace dgfs::storage
