// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FuseRing: a thread's way to the kernel's FUSE requests through io_uring (Linux 6.14). The kernel
// has a queue for each possible processor and puts a request into that of its client. A ring offers
// entries to queues; each takes one request at a time.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/posix/fuse_ring_abi.h"

namespace dgfs::storage {

/// For one thread from receive() on: the kernel hands requests to the thread that asked for them.
class FuseRing {
 public:
  /// @param device         descriptor of the connection; outlives the result
  /// @param queues         by number; an entry for each, at least one
  /// @param payload_bytes  what the longest request has behind its fixed part
  /// Errors: kUnsupported (the system has no io_uring, or forbids it), kLimit.
  [[nodiscard]] static Result<std::unique_ptr<FuseRing>> make(int device,
                                                              std::span<const unsigned> queues,
                                                              std::size_t payload_bytes);
  ~FuseRing();
  FuseRing(const FuseRing&) = delete;
  FuseRing& operator=(const FuseRing&) = delete;

  /// Sends the reply to the last request, if there was one, and waits for the next. Returns its
  /// header, body and contents side by side; empty: the connection has ended. Header and body last
  /// until the next call; contents of more than 8 KiB only until the reply is sent. Errors:
  /// kInterrupted (a signal, or no memory just now; to be called again), kUnsupported (the kernel
  /// has refused an entry, and gives requests by the device), kIo (others may wait for ever: the
  /// connection is to be ended).
  [[nodiscard]] Result<MutableBytes> receive();
  /// Puts a reply to the request together, or passes on what is none (a notification). Returns what
  /// writev(2) does, and sets errno.
  ssize_t send(std::span<const iovec> parts);
  /// Memory from which the kernel takes what a reply has behind its header: send() copies nothing
  /// of a part that begins there. Empty: contents of the request lie there. After receive().
  [[nodiscard]] MutableBytes reply_room() const;
  /// Sends the reply to the last request, and waits for no further one. The last call.
  void finish();

 private:
  struct State;
  explicit FuseRing(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Finds out whether the system lets this process send the commands of FuseRing on a connection.
/// Before INIT is answered. Errors: kUnsupported, with the system's errno.
[[nodiscard]] Status try_ring_commands(int device);
/// Has the kernel give all requests by the device, though INIT was answered otherwise: it does so
/// once an entry was refused.
void refuse_rings(int device);

}  // namespace dgfs::storage
