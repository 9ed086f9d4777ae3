// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Replies to GETXATTR and LISTXATTR, whose callers give the size of their buffer.
#pragma once

#include <fuse_lowlevel.h>

#include <cerrno>
#include <cstddef>

#include "base/bytes.h"

namespace dgfs::fuse {

/// @param room_bytes  size of the buffer; 0: the caller wants only the size; too small: ERANGE
inline void reply_sized(fuse_req_t request, Bytes bytes, std::size_t room_bytes) {
  if (room_bytes == 0) {
    fuse_reply_xattr(request, bytes.size());
  } else if (bytes.size() > room_bytes) {
    fuse_reply_err(request, ERANGE);
  } else {
    fuse_reply_buf(request, reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

}  // namespace dgfs::fuse
