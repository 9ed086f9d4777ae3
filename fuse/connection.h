// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a mount asks of the kernel when the connection begins.
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>

namespace dgfs::fuse {

/// What all kinds of mount want of libfuse's connection. Not wanted, of what libfuse wants by
/// itself: splicing (replies come from memory, where one copy is cheaper than page tricks, and
/// requests are small), AUTO_INVAL_DATA (contents change through the mount alone, if at all),
/// ATOMIC_O_TRUNC (must be off where OPEN stays unanswered), READDIRPLUS_AUTO (whoever wants
/// attributes of names that were listed without them looks these up one by one; attributes cost
/// little here).
inline constexpr unsigned kWantedCapabilities =
    FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO | FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_PARALLEL_DIROPS |
    FUSE_CAP_READDIRPLUS | FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_NO_OPEN_SUPPORT |
    FUSE_CAP_EXPLICIT_INVAL_DATA;

/// Asks for the capabilities that mount and kernel both have, and sets the limits of requests.
/// @param more            capabilities besides kWantedCapabilities
/// @param max_read_bytes  what -o max_read says; 0: the kernel's choice
void set_up_connection(fuse_conn_info& connection, unsigned more,
                       std::uint64_t max_read_bytes) noexcept;

/// Whether the kernel takes ENOSYS for OPEN as "never ask".
[[nodiscard]] inline bool leaves_opens_unanswered(const fuse_conn_info& connection) noexcept {
  return (connection.capable & FUSE_CAP_NO_OPEN_SUPPORT) != 0;
}

}  // namespace dgfs::fuse
