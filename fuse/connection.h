// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What the kernel and the server agree on when they first meet.
#pragma once

#include <fuse_lowlevel.h>

namespace dgfs::fuse {

/// The init operation; `user_data` is the Server.
void start_connection(void* user_data, fuse_conn_info* connection) noexcept;

}  // namespace dgfs::fuse
