// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FuseRing: receives the kernel's FUSE requests of one thread through io_uring (Linux 6.14). The
// kernel has a queue for each possible processor and puts a request into the queue of the processor
// on which its client runs. A ring offers entries to queues; each entry takes one request at a
// time.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/fuse/fuse_ring_abi.h"

namespace dgfs::storage {

/// For one thread from receive() on: the kernel hands requests to the thread that offered the
/// entries.
class FuseRing {
 public:
  /// @param device         descriptor of the connection; must outlive the result
  /// @param queues         numbers of the queues that get an entry, at least one
  /// @param payload_bytes  most bytes that a request has behind its fixed part
  /// Errors: kUnsupported (the system has no io_uring, or forbids it), kLimit.
  [[nodiscard]] static Result<std::unique_ptr<FuseRing>> make(int device,
                                                              std::span<const unsigned> queues,
                                                              std::size_t payload_bytes);
  ~FuseRing();
  FuseRing(const FuseRing&) = delete;
  FuseRing& operator=(const FuseRing&) = delete;

  /// Sends the reply to the last request, if there was one, and waits for the next request. Returns
  /// its header, body and contents as one range; empty: the connection has ended. Header and body
  /// are valid until the next call. Contents of more than 8 KiB are valid only until the reply is
  /// sent. Errors: kInterrupted (a signal, or memory is short for now; call again), kUnsupported
  /// (the kernel has refused an entry, and sends requests through the device), kIo (other threads
  /// may wait for ever: the caller must end the connection).
  [[nodiscard]] Result<MutableBytes> receive();
  /// Stores a reply to the request until receive() or finish() is called; sends anything else (a
  /// notification) at once. Returns as writev(2) does, and sets errno.
  ssize_t send(std::span<const iovec> parts);
  /// Memory from which the kernel takes the part of a reply behind the header. send() does not copy
  /// a part that begins there. Empty if contents of the request lie there. Call it after receive().
  [[nodiscard]] MutableBytes reply_room() const;
  /// Sends the reply to the last request now; otherwise receive() sends it. Does nothing while
  /// send() has not stored one.
  void flush();
  /// The last call: sends the reply to the last request, and EIO if send() has stored none.
  void finish();

 private:
  struct State;
  explicit FuseRing(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Finds out whether the system lets this process send the commands of FuseRing on a connection.
/// Call it before INIT is answered. Errors: kUnsupported, with the system's errno.
[[nodiscard]] Status try_ring_commands(int device);
/// Makes the kernel send all requests through the device, although the answer to INIT agreed on
/// rings. The kernel does so once it has refused an entry.
void refuse_rings(int device);

}  // namespace dgfs::storage
