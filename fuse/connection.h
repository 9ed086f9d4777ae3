// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sets up the connection to the kernel when it begins.
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>

namespace dgfs::fuse {

/// The capabilities that all kinds of mount request. libfuse requests some more by default, which
/// we do not want: splicing (replies come from memory, where one copy is cheaper than moving pages,
/// and requests are small), AUTO_INVAL_DATA (contents change only through the mount, if at all),
/// ATOMIC_O_TRUNC (must be off if OPEN is not answered), READDIRPLUS_AUTO (a program that needs
/// attributes after a listing without them looks up the names one by one; attributes are cheap
/// here). ASYNC_DIO is only for mounts that nobody can write to: after an asynchronous direct write
/// the kernel leaves old bytes in its page cache, if another program has read them meanwhile.
inline constexpr unsigned kWantedCapabilities = FUSE_CAP_ASYNC_READ | FUSE_CAP_EXPORT_SUPPORT |
                                                FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS |
                                                FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_NO_OPEN_SUPPORT |
                                                FUSE_CAP_EXPLICIT_INVAL_DATA;

/// Requests the capabilities that mount and kernel both have, and sets the limits of requests.
/// @param more            further capabilities besides kWantedCapabilities
/// @param max_read_bytes  value of -o max_read; 0: the kernel's choice
void set_up_connection(fuse_conn_info& connection, unsigned more,
                       std::uint64_t max_read_bytes) noexcept;

/// Whether the kernel takes ENOSYS for OPEN as "never ask".
[[nodiscard]] inline bool leaves_opens_unanswered(const fuse_conn_info& connection) noexcept {
  return (connection.capable & FUSE_CAP_NO_OPEN_SUPPORT) != 0;
}

}  // namespace dgfs::fuse
