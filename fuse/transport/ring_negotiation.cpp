// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/ring_negotiation.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstddef>
#include <exception>

#include "storage/posix/processors.h"

namespace dgfs::fuse {
namespace {

// A thread may have to wait for an answer from another thread of its queue (see Prefetcher).
constexpr std::size_t kThreadsOfQueueMin = 2;

}  // namespace

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

std::vector<QueueShare> share_queues(unsigned threads, unsigned possible,
                                     std::span<const unsigned> allowed) {
  std::vector<unsigned> near;
  std::vector<unsigned> far;
  for (unsigned number = 0; number < possible; ++number) {
    const bool is_near = std::find(allowed.begin(), allowed.end(), number) != allowed.end();
    (is_near && threads > 1 ? near : far).push_back(number);
  }
  if (threads == 1) return {{far, std::nullopt}};
  std::vector<QueueShare> shares;
  if (!near.empty()) {
    const auto of_each = std::max(kThreadsOfQueueMin, (threads + near.size() - 1) / near.size());
    for (std::size_t i = 0; i < of_each; ++i) {
      for (const unsigned number : near) shares.push_back({{number}, number});
    }
  }
  if (!far.empty()) {
    const auto count = near.empty() ? std::size_t{threads} : kThreadsOfQueueMin;
    shares.insert(shares.end(), count, {far, std::nullopt});
  }
  return shares;
}

void RingNegotiation::see_request(const RawRequest& request) {
  if (request.opcode() != FUSE_INIT || wanted_ == Transport::kClassic) return;
  const bool is_asked_for = wanted_ == Transport::kRing;
  const auto init = request.body<fuse_init_in>();
  if (!init || (init->flags & FUSE_INIT_EXT) == 0 || (init->flags2 & storage::kFuseOverRing) == 0) {
    // Most kernels do not offer it, so this is reported only to users who asked for it.
    if (is_asked_for) {
      reason_ = "the kernel does not offer io_uring (/sys/module/fuse/parameters/enable_uring)";
    }
  } else if (!is_asked_for && !has_sound_ring(kernel_)) {
    reason_ = "FUSE over io_uring has known faults in this kernel; transport=uring uses it anyway";
  } else {
    make_rings();
  }
}

void RingNegotiation::make_rings() {
  try {
    const auto possible = storage::possible_processors();
    if (!possible) {
      reason_ = "the system does not report how many processors it can have";
      return;
    }
    if (const auto tried = storage::try_ring_commands(device_); !tried) {
      reason_ = tried.error().message();
      return;
    }
    for (auto& share : share_queues(threads_, *possible, storage::allowed_processors())) {
      auto ring = storage::FuseRing::make(device_, share.queues, kWriteBytesMax);
      if (!ring) {
        reason_ = ring.error().message();
        return rings_.clear();
      }
      rings_.push_back({std::move(ring).value(), std::move(share)});
    }
  } catch (const std::exception&) {
    reason_ = "no memory for rings";
    rings_.clear();
  }
}

void RingNegotiation::see_reply(InitReply& reply) {
  if (agrees_) agrees_ = reply.add_flags2(storage::kFuseOverRing);
}

}  // namespace dgfs::fuse
