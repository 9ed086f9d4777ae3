// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RingNegotiation: decides during INIT whether requests come through io_uring.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuse/transport/init_reply.h"
#include "fuse/transport/raw_request.h"
#include "fuse/transport/transport.h"
#include "storage/fuse/fuse_channel.h"
#include "storage/fuse/fuse_ring.h"

namespace dgfs::fuse {

/// The queues that a thread serves. A value.
struct QueueShare {
  std::vector<unsigned> queues;
  std::optional<unsigned> processor;  ///< the thread stays on it; nullopt: it may run on any
  bool operator==(const QueueShare&) const = default;
};

/// Distributes the kernel's queues (one per processor) to threads. With more than one thread, each
/// queue of an allowed processor gets two or more threads of its own, which stay on that processor.
/// Two further threads serve the queues of all other processors.
/// @param threads   1 or more; a lower bound, unless it is 1
/// @param possible  processors that the kernel can ever have
/// @param allowed   numbers of the processors that the threads may run on
[[nodiscard]] std::vector<QueueShare> share_queues(unsigned threads, unsigned possible,
                                                   std::span<const unsigned> allowed);

/// A ring, and the queues for the thread that will serve it.
struct OfferedRing {
  std::unique_ptr<storage::FuseRing> ring;
  QueueShare share;
};

/// The version of the running kernel; empty: unknown.
[[nodiscard]] std::string kernel_release();

/// Used by the thread that takes INIT.
class RingNegotiation {
 public:
  /// @param device  descriptor of the connection
  /// @param kernel  the kernel's release, which decides with Transport::kAuto
  RingNegotiation(Transport wanted, unsigned threads, int device,
                  std::string kernel = kernel_release())
      : wanted_(wanted), threads_(threads), device_(device), kernel_(std::move(kernel)) {}

  /// Makes rings if they are wanted and the kernel offers them. They are made before the answer,
  /// because after a yes to INIT there is no way back if the system forbids rings.
  void see_request(const RawRequest& request);
  [[nodiscard]] std::vector<OfferedRing> take_rings() { return std::move(rings_); }
  /// From now on see_reply() says yes. Call it when the rings have their threads.
  void agree() { agrees_ = true; }
  void see_reply(InitReply& reply);
  /// Whether the answer to INIT was sent.
  void note_sent(bool is_sent) { is_sent_ = is_sent; }
  [[nodiscard]] bool has_agreed() const { return agrees_ && is_sent_; }

  /// Why there are no rings; empty: users need not know.
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
