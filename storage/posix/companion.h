// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A companion: a small process that goes on when the process that started it is killed.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/result.h"
#include "storage/posix/local_socket.h"

namespace dgfs::storage {

/// Starts a process that runs `work` and then ends, and returns this side of the connection to it.
/// The other side gets an empty line once no process holds this side any more. Lines have 100 bytes
/// at most.
///
/// The process is a copy of the caller, but no child of it: it has a session of its own, so signals
/// to the caller's group do not reach it, and it ignores SIGTERM, SIGINT, SIGQUIT and SIGHUP. It
/// keeps no descriptor of the caller, no directory but the root, and not the caller's title: a
/// signal that is sent by name or command line (pkill) does not reach it either. Nothing that
/// `work` throws leaves it.
/// @param title     shown by ps(1), in the place of name and command line
/// @param patience  of this side, see LocalConnection
/// The caller must have only one thread, and must not ignore SIGCHLD. Errors: kIo, kLimit (the
/// system has no room for a process).
[[nodiscard]] Result<LocalConnection> start_companion(
    const std::string& title, std::chrono::seconds patience,
    const std::function<void(const LocalConnection&)>& work);

/// The longest line between the two.
inline constexpr std::size_t kCompanionLineBytesMax = 100;

}  // namespace dgfs::storage
