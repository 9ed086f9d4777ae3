// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Loggers for the messages of a mount.
#pragma once

#include <memory>

#include <spdlog/logger.h>

namespace dgfs::fuse {

/// Lines "dgfs: LEVEL: TEXT" on standard error, for `dgfs mount --foreground`.
[[nodiscard]] std::shared_ptr<spdlog::logger> make_terminal_logger();

/// The system log, facility daemon, identity "dgfs".
[[nodiscard]] std::shared_ptr<spdlog::logger> make_system_logger();

}  // namespace dgfs::fuse
