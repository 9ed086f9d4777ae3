// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What the kernel says of FUSE over io_uring, and headers older than Linux 6.14 do not have
// (include/uapi/linux/fuse.h there, protocol 7.42).
#pragma once

#include <cstdint>

namespace dgfs::storage {

/// FUSE_OVER_IO_URING: a bit of flags2 of INIT.
inline constexpr std::uint32_t kFuseOverRing = std::uint32_t{1} << (41 - 32);

/// struct fuse_uring_req_header: stands beside the contents of a request, which follow it in a
/// buffer of their own (the payload).
struct FuseRingHeader {
  char in_out[128];  ///< fuse_in_header; of the reply fuse_out_header
  char body[128];    ///< what stands between it and the payload
  std::uint64_t flags;
  std::uint64_t commit_id;      ///< of the request, for its reply
  std::uint32_t payload_bytes;  ///< of the request; of the reply
  std::uint32_t padding;
  std::uint64_t reserved;
};
static_assert(sizeof(FuseRingHeader) == 288);

/// enum fuse_uring_cmd.
inline constexpr std::uint32_t kFuseRingRegister = 1;
inline constexpr std::uint32_t kFuseRingCommitAndFetch = 2;

/// struct fuse_uring_cmd_req: the command's own part of a submission.
struct FuseRingCommand {
  std::uint64_t flags = 0;
  std::uint64_t commit_id = 0;
  std::uint16_t queue = 0;
  std::uint8_t padding[6] = {};
};
static_assert(sizeof(FuseRingCommand) == 24);

}  // namespace dgfs::storage
