// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The frame around every request: counts and times it, turns what failed into an errno, logs
// damage, and lets nothing escape into libfuse, whose C frames an exception must not cross.
#pragma once

#include <fuse_lowlevel.h>

#include "fuse/error_number.h"
#include "fuse/service.h"

namespace dgfs::fuse {

/// A request under way.
struct Call {
  Request request;
  fuse_ino_t inode;  ///< the object it is about, or the directory
  Subject subject = Subject::kContent;
  /// The name asked for in the directory, where there is one. Valid during the request.
  const char* name = nullptr;
};

[[nodiscard]] inline Service& service_of(fuse_req_t request) {
  return *static_cast<Service*>(fuse_req_userdata(request));
}
/// The tree of the session, of whose kind the operation is.
template <class Kind>
[[nodiscard]] Kind& served(fuse_req_t request) {
  return static_cast<Kind&>(service_of(request).file_system);
}

/// Logs `error` if it is a fault and due, and answers nothing.
void log_fault(Service& service, const Call& call, const Error& error) noexcept;
/// Replies with the errno of `error`, and logs it if it is a fault.
void answer_error(fuse_req_t request, const Call& call, const Error& error) noexcept;
/// Replies for an exception in flight; to be called in a handler.
void answer_exception(fuse_req_t request, const Call& call) noexcept;

/// Runs `work(tree)`, which returns a Status and has replied if that is ok.
template <class Kind, class Work>
void answer(fuse_req_t request, const Call& call, Work work) noexcept {
  Service& service = service_of(request);
  const auto begin_ns = service.env.monotonic_ns();
  service.counters.count(call.request);
  service.counters.note_begin();
  try {
    std::call_once(service.first_request, service.on_first_request);
    const Status status = work(served<Kind>(request));
    if (!status) answer_error(request, call, status.error());
  } catch (...) {
    answer_exception(request, call);
  }
  service.counters.note_end();
  // The request itself is gone by now.
  service.counters.count_answer(call.request, service.env.monotonic_ns() - begin_ns);
}

/// Replies that the kernel need not ask this again on this connection.
inline void answer_never(fuse_req_t request, Request kind) noexcept {
  service_of(request).counters.count(kind);
  fuse_reply_err(request, ENOSYS);
}

}  // namespace dgfs::fuse
