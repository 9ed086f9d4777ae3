// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/announced_reads.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace dgfs::storage {
namespace {

using Clock = std::chrono::steady_clock;
// About one read of a solid-state disk, and a small part of a read of a slower disk.
constexpr auto kAwakeMax = std::chrono::microseconds(100);

}  // namespace

void AnnouncedReads::add(std::uint64_t offset_bytes, std::uint64_t length_bytes) noexcept {
  if (length_bytes > kPolledBytesMax) return;
  const auto place = next_.fetch_add(1, std::memory_order_relaxed) % kReadsMax;
  begins_[place].store(offset_bytes + 1, std::memory_order_relaxed);
}

bool AnnouncedReads::take(std::uint64_t offset_bytes) noexcept {
  return std::any_of(begins_.begin(), begins_.end(), [&](std::atomic<std::uint64_t>& begin) {
    auto wanted = offset_bytes + 1;
    return begin.load(std::memory_order_relaxed) == wanted &&
           begin.compare_exchange_strong(wanted, 0, std::memory_order_relaxed);
  });
}

std::size_t AnnouncedReads::UnderWay::poll(int fd, std::uint64_t offset_bytes, Scatter& outs) {
  if (!reads_.take(offset_bytes)) return 0;
  const auto end = Clock::now() + kAwakeMax;
  std::size_t done_bytes = 0;
  while (!outs.empty() && reads_.has_one_under_way()) {
    const auto count = ::preadv2(fd, outs.data(), outs.count(),
                                 static_cast<off_t>(offset_bytes + done_bytes), RWF_NOWAIT);
    const bool is_to_come = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (count <= 0 && !is_to_come) break;
    if (count > 0) {
      done_bytes += static_cast<std::size_t>(count);
      outs.advance(static_cast<std::size_t>(count));
    }
    if (Clock::now() >= end) break;
  }
  return done_bytes;
}

}  // namespace dgfs::storage
