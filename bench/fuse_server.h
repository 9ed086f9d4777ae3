// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The part that all FUSE servers of the benchmarks share: they mount, and serve as DGFS does.
#pragma once

#include <fuse_lowlevel.h>

#include <string>
#include <string_view>

#include "fuse/transport/transport.h"

namespace dgfs::bench {

/// The user data must outlive the call.
struct FuseServer {
  std::string name;  ///< in the mount table
  fuse_lowlevel_ops operations{};
  void* user_data = nullptr;
  bool read_only = true;
  fuse::Transport transport = fuse::Transport::kAuto;
};

/// Takes the option that all servers have: --transport=auto|uring|classic, as in `dgfs mount`.
/// False: it is another option, or has another value.
[[nodiscard]] bool take_transport(std::string_view option, FuseServer& server);

/// Mounts, goes to the background, and serves until it is unmounted, with eight threads or the ring
/// threads that `dgfs mount` would use. Call it once per process. Returns an exit code.
[[nodiscard]] int mount_and_serve(const FuseServer& server, const char* mount_point);

/// Requests the capabilities that `dgfs mount` requests. For the operation init.
/// @param more  further capabilities of libfuse (FUSE_CAP_)
void want_capabilities(fuse_conn_info& connection, unsigned more = 0);

/// Trees change only through these mounts, so names and attributes stay valid.
inline constexpr double kForeverSeconds = 1e9;

}  // namespace dgfs::bench
