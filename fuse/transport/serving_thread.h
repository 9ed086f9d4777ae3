// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ServingThread: the state of a thread that serves requests.
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "fuse/transport/request_filter.h"
#include "fuse/transport/request_source.h"
#include "fuse/transport/ring_negotiation.h"

namespace dgfs::fuse {

/// All members must outlive the object.
struct ServingThread {
  RequestSource& source;
  RequestFilter* filter;         ///< null: none
  RingNegotiation* negotiation;  ///< null: there is no negotiation
  bool may_wait;                 ///< see may_wait_for_answers()
};

/// The state of the calling thread; nullptr: it serves no requests.
[[nodiscard]] const ServingThread* serving_thread();
/// Makes the calling thread a serving thread, until the object is destroyed.
class ServingHere {
 public:
  explicit ServingHere(const ServingThread& thread);
  ~ServingHere();
  ServingHere(const ServingHere&) = delete;
  ServingHere& operator=(const ServingHere&) = delete;
};

/// Whether the calling thread may wait for an answer from another thread. A thread with several
/// queues may not, because the requests of all its queues would wait.
[[nodiscard]] bool may_wait_for_answers();

/// Memory for the reply to the current request. With a ring it is the memory from which the kernel
/// takes replies, so that the reply is not copied again. Otherwise it is memory of the thread,
/// which grows to the largest reply requested; the kernel bounds that (1 MiB). Valid until the
/// thread's next call or next request.
[[nodiscard]] MutableBytes reply_room(std::size_t size_bytes);

/// Sends the reply to the current request now. A ring sends it otherwise only when the thread waits
/// for its next request. Call it after the reply of libfuse (fuse_reply_...()), before any work
/// that takes long or waits for the kernel.
void flush_reply();

}  // namespace dgfs::fuse
