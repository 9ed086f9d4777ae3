// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Definitions of the kernel for FUSE over io_uring that headers before Linux 6.14 lack
// (include/uapi/linux/fuse.h there, protocol 7.42).
#pragma once

#include <cstdint>

namespace dgfs::storage {

/// FUSE_OVER_IO_URING: a bit of flags2 of INIT.
inline constexpr std::uint32_t kFuseOverRing = std::uint32_t{1} << (41 - 32);

/// struct fuse_uring_req_header: lies apart from the contents of a request, which have a buffer of
/// their own (the payload).
struct FuseRingHeader {
  char in_out[128];  ///< fuse_in_header of a request, fuse_out_header of a reply
  char body[128];    ///< the part of a request between that header and the payload
  std::uint64_t flags;
  std::uint64_t commit_id;      ///< identifies the request in the command that replies to it
  std::uint32_t payload_bytes;  ///< length of the payload of a request or reply
  std::uint32_t padding;
  std::uint64_t reserved;
};
static_assert(sizeof(FuseRingHeader) == 288);

/// enum fuse_uring_cmd.
inline constexpr std::uint32_t kFuseRingRegister = 1;
inline constexpr std::uint32_t kFuseRingCommitAndFetch = 2;

/// struct fuse_uring_cmd_req: the part of a submission that is the command's own.
struct FuseRingCommand {
  std::uint64_t flags = 0;
  std::uint64_t commit_id = 0;
  std::uint16_t queue = 0;
  std::uint8_t padding[6] = {};
};
static_assert(sizeof(FuseRingCommand) == 24);

}  // namespace dgfs::storage
