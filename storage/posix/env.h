// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The real operating system. Only storage/ includes its headers for I/O, and mostly this folder.
#pragma once

#include <memory>

#include "storage/env.h"

namespace dgfs::storage {

/// An Env over Linux system calls. Thread-safe; outlives the files opened through it.
[[nodiscard]] std::unique_ptr<Env> make_posix_env();

}  // namespace dgfs::storage
