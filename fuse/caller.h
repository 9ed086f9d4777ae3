// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The sender of a request. Where the kernel may have mounts with mapped ids (idmapped mounts),
// requests name a user only if they make an object: then the user as the mapping shows it.
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace dgfs::fuse {

/// A value.
struct CallerIds {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

/// The user and group whose rights the calling thread has. Reads a file of /proc if the request
/// does not name them. nullopt: unknown, for example because the process has ended, or lives in
/// another name space of processes.
[[nodiscard]] std::optional<CallerIds> caller_ids(fuse_req_t request);
/// Whether the request is known to come from root.
[[nodiscard]] bool is_from_root(fuse_req_t request);

/// The ids in a text of /proc/PID/status.
[[nodiscard]] std::optional<CallerIds> ids_in_status(std::string_view text);

}  // namespace dgfs::fuse
