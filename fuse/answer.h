// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The frame around every request: counts and times it, turns errors into an errno, logs damage, and
// keeps exceptions from reaching libfuse, whose C frames they must not cross.
#pragma once

#include <fuse_lowlevel.h>

#include "fuse/error_number.h"
#include "fuse/service.h"

namespace dgfs::fuse {

/// A request that is being served.
struct Call {
  Request request;
  fuse_ino_t inode;  ///< the object or the directory of the request
  Subject subject = Subject::kContent;
  /// The requested name in the directory; null: the request has none. Valid during the request.
  const char* name = nullptr;
};

[[nodiscard]] inline Service& service_of(fuse_req_t request) {
  return *static_cast<Service*>(fuse_req_userdata(request));
}
/// The session's tree; `Kind` is the class that the operations belong to.
template <class Kind>
[[nodiscard]] Kind& served(fuse_req_t request) {
  return static_cast<Kind&>(service_of(request).file_system);
}

/// Logs `error` if it is a fault and the log takes it now. Does not reply.
void log_fault(Service& service, const Call& call, const Error& error) noexcept;
/// Replies with the errno of `error`, and logs it if it is a fault.
void answer_error(fuse_req_t request, const Call& call, const Error& error) noexcept;
/// Replies for the current exception; call it in a catch block.
void answer_exception(fuse_req_t request, const Call& call) noexcept;

/// Runs `work(tree)`, which returns a Status; if that is ok, `work` has replied.
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
  // The reply has freed the request.
  service.counters.count_answer(call.request, service.env.monotonic_ns() - begin_ns);
}

/// Replies ENOSYS, after which the kernel does not send such requests again on this connection.
inline void answer_never(fuse_req_t request, Request kind) noexcept {
  service_of(request).counters.count(kind);
  fuse_reply_err(request, ENOSYS);
}

}  // namespace dgfs::fuse
