// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The part that all FUSE servers of the benchmarks share: to mount, and to serve as DGFS does.
#pragma once

#include <fuse_lowlevel.h>

#include <string>
#include <string_view>

#include "fuse/transport/transport.h"

namespace dgfs::bench {

/// The user data outlives the call.
struct FuseServer {
  std::string name;  ///< in the mount table
  fuse_lowlevel_ops operations{};
  void* user_data = nullptr;
  bool read_only = true;
  fuse::Transport transport = fuse::Transport::kAuto;
};

/// Takes one option that all servers have: --transport=auto|uring|classic, as `dgfs mount` does.
/// False: it is not that, or has another value.
[[nodiscard]] bool take_transport(std::string_view option, FuseServer& server);

/// Mounts, goes to the background, and serves with eight threads, and the threads that `dgfs mount`
/// has, until it is unmounted. Once in a process. Returns an exit code.
[[nodiscard]] int mount_and_serve(const FuseServer& server, const char* mount_point);

/// Asks for what `dgfs mount` asks for. For the operation init.
/// @param more  further capabilities of libfuse (FUSE_CAP_)
void want_capabilities(fuse_conn_info& connection, unsigned more = 0);

/// Nothing changes but through these mounts: names and attributes hold for ever.
inline constexpr double kForeverSeconds = 1e9;

}  // namespace dgfs::bench
