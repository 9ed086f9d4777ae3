// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ServingThread: what a thread that serves requests needs to know of itself.
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "fuse/transport/request_filter.h"
#include "fuse/transport/request_source.h"
#include "fuse/transport/ring_negotiation.h"

namespace dgfs::fuse {

/// All must outlive it.
struct ServingThread {
  RequestSource& source;
  RequestFilter* filter;         ///< null: none
  RingNegotiation* negotiation;  ///< null: nothing is negotiated
  bool may_wait;                 ///< see may_wait_for_answers()
};

/// The calling thread; nullptr: it serves no requests.
[[nodiscard]] const ServingThread* serving_thread();
/// Makes the calling thread one that serves, until it ends.
class ServingHere {
 public:
  explicit ServingHere(const ServingThread& thread);
  ~ServingHere();
  ServingHere(const ServingHere&) = delete;
  ServingHere& operator=(const ServingHere&) = delete;
};

/// Whether the calling thread may wait for an answer that another one has to give. A thread with
/// several queues may not: the requests of all its queues would wait.
[[nodiscard]] bool may_wait_for_answers();

/// Memory for the reply to the current request. Where the kernel takes replies from (a ring), a
/// reply that lies there is not copied any more. Otherwise it is memory of the thread, which grows
/// to the largest reply asked for; the kernel bounds it (1 MiB). Valid until the thread's next call
/// or next request.
[[nodiscard]] MutableBytes reply_room(std::size_t size_bytes);

}  // namespace dgfs::fuse
