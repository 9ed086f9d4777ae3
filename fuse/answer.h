// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The frame around every request: counts and times it, turns what failed into an errno, logs
// damage, and lets nothing escape into libfuse, whose C frames an exception must not cross.
#pragma once

#include <fuse_lowlevel.h>

#include "fuse/error_number.h"
#include "fuse/server.h"

namespace dgfs::fuse {

/// A request under way.
struct Call {
  Request request;
  fuse_ino_t inode;  ///< the object it is about, or the directory
  Subject subject = Subject::kContent;
  /// The name asked for in the directory, where there is one. Valid during the request.
  const char* name = nullptr;
};

[[nodiscard]] inline Server& server_of(fuse_req_t request) {
  return *static_cast<Server*>(fuse_req_userdata(request));
}

/// Logs `error` if it is a fault and due, and answers nothing.
void log_fault(Server& server, const Call& call, const Error& error) noexcept;
/// Replies with the errno of `error`, and logs it if it is a fault.
void answer_error(fuse_req_t request, const Call& call, const Error& error) noexcept;
/// Replies for an exception in flight; to be called in a handler.
void answer_exception(fuse_req_t request, const Call& call) noexcept;

/// Runs `work(server)`, which returns a Status and has replied if that is ok.
template <class Work>
void answer(fuse_req_t request, const Call& call, Work work) noexcept {
  Server& server = server_of(request);
  const auto& clock = server.image.env();
  const auto begin_ns = clock.monotonic_ns();
  server.counters.count(call.request);
  try {
    std::call_once(server.first_request, server.on_first_request);
    const Status status = work(server);
    if (!status) answer_error(request, call, status.error());
  } catch (...) {
    answer_exception(request, call);
  }
  // The request itself is gone by now.
  server.counters.count_answer(call.request, clock.monotonic_ns() - begin_ns);
}

/// Replies that the kernel need not ask this again on this connection.
inline void answer_never(fuse_req_t request, Request kind) noexcept {
  server_of(request).counters.count(kind);
  fuse_reply_err(request, ENOSYS);
}

}  // namespace dgfs::fuse
