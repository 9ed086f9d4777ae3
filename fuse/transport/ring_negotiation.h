// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RingNegotiation: whether requests come through io_uring, as INIT and its answer agree on.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuse/transport/raw_request.h"
#include "fuse/transport/transport.h"
#include "storage/posix/fuse_channel.h"
#include "storage/posix/fuse_ring.h"

namespace dgfs::fuse {

/// The queues that a thread serves. A value.
struct QueueShare {
  std::vector<unsigned> queues;
  std::optional<unsigned> processor;  ///< that the thread stays on; nullopt: any
  bool operator==(const QueueShare&) const = default;
};

/// The kernel's queues, shared out. More than one thread: each queue of a processor that they may
/// run on has two threads of its own, or more, which stay there. Two further threads serve the
/// queues of all others.
/// @param threads   1 or more; a lower bound, unless it is 1
/// @param possible  processors that the kernel can ever have
/// @param allowed   processors that the threads may run on, by number
[[nodiscard]] std::vector<QueueShare> share_queues(unsigned threads, unsigned possible,
                                                   std::span<const unsigned> allowed);

/// A ring, and the thread that shall serve it.
struct OfferedRing {
  std::unique_ptr<storage::FuseRing> ring;
  QueueShare share;
};

/// The version of the running kernel; empty: unknown.
[[nodiscard]] std::string kernel_release();

/// For the thread that takes INIT.
class RingNegotiation {
 public:
  /// @param device  of the connection
  /// @param kernel  its release, which decides with Transport::kAuto
  RingNegotiation(Transport wanted, unsigned threads, int device,
                  std::string kernel = kernel_release())
      : wanted_(wanted), threads_(threads), device_(device), kernel_(std::move(kernel)) {}

  /// Makes rings if the kernel offers requests by them and they are wanted: once INIT has been
  /// answered with a yes, a system that forbids them could not be helped.
  void see_request(const RawRequest& request);
  [[nodiscard]] std::vector<OfferedRing> take_rings() { return std::move(rings_); }
  /// From now on see_reply() says yes: the rings have their threads.
  void agree() { agrees_ = true; }
  void see_reply(const RawRequest& request, std::span<const iovec> parts) const;
  /// Whether that answer has gone out.
  void note_sent(bool is_sent) { is_sent_ = is_sent; }
  [[nodiscard]] bool has_agreed() const { return agrees_ && is_sent_; }

  /// Why there are none; empty: nobody has to be told.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  void set_reason(std::string reason) { reason_ = std::move(reason); }

 private:
  void make_rings();

  const Transport wanted_;
  const unsigned threads_;
  const int device_;
  const std::string kernel_;
  std::vector<OfferedRing> rings_;
  std::string reason_;
  bool agrees_ = false;
  bool is_sent_ = false;
};

}  // namespace dgfs::fuse
