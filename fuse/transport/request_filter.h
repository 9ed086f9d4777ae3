// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RequestFilter: sees requests before libfuse does, and replies before the kernel does: for what
// the kernel can and libfuse cannot.
#pragma once

#include <span>

#include "fuse/transport/raw_request.h"
#include "storage/posix/fuse_channel.h"

namespace dgfs::fuse {

/// Thread-safe.
class RequestFilter {
 public:
  virtual ~RequestFilter() = default;
  RequestFilter() = default;
  RequestFilter(const RequestFilter&) = delete;
  RequestFilter& operator=(const RequestFilter&) = delete;

  /// May change the request, which libfuse answers then.
  virtual void see_request(RawRequest& request) = 0;
  /// May change a reply to the current request of the thread, without changing its length.
  /// @param parts  of the reply; the first one holds its header
  virtual void see_reply(const RawRequest& request, std::span<const iovec> parts) = 0;
};

}  // namespace dgfs::fuse
