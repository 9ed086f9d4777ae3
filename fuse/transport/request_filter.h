// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RequestFilter: sees requests before libfuse, and replies before the kernel: for features that the
// kernel has and libfuse lacks.
#pragma once

#include <span>

#include "fuse/transport/raw_request.h"
#include "storage/fuse/fuse_channel.h"

namespace dgfs::fuse {

/// Thread-safe.
class RequestFilter {
 public:
  virtual ~RequestFilter() = default;
  RequestFilter() = default;
  RequestFilter(const RequestFilter&) = delete;
  RequestFilter& operator=(const RequestFilter&) = delete;

  /// May change the request before libfuse answers it.
  virtual void see_request(RawRequest& request) = 0;
  /// May change a reply to the thread's current request, but not its length.
  /// @param parts  of the reply; the first one contains its header
  virtual void see_reply(const RawRequest& request, std::span<const iovec> parts) = 0;
};

}  // namespace dgfs::fuse
