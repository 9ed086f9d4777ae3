// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/transfer.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace dgfs::storage {
namespace {

// Large enough that one call runs at the device's bandwidth, small enough to allocate freely.
constexpr std::size_t kBounceBytesMax = std::size_t{1} << 20;

struct FreeMemory {
  void operator()(std::uint8_t* memory) const noexcept { std::free(memory); }
};
using BounceBuffer = std::unique_ptr<std::uint8_t, FreeMemory>;

constexpr std::uint64_t align_down(std::uint64_t value) {
  return value & ~std::uint64_t{kDirectAlignmentBytes - 1};
}
constexpr std::uint64_t align_up(std::uint64_t value) {
  return align_down(value + kDirectAlignmentBytes - 1);
}
bool is_aligned(const std::uint8_t* address) {
  return (reinterpret_cast<std::uintptr_t>(address) & (kDirectAlignmentBytes - 1)) == 0;
}

// `size_bytes` must be a multiple of the alignment. Returns null when memory is short.
BounceBuffer make_bounce_buffer(std::size_t size_bytes) {
  return BounceBuffer(
      static_cast<std::uint8_t*>(std::aligned_alloc(kDirectAlignmentBytes, size_bytes)));
}

off_t to_off(std::uint64_t offset_bytes) { return static_cast<off_t>(offset_bytes); }

// The aligned case of read_all_direct. A count that is not whole blocks means the end of the file;
// another read from there would not be aligned.
Transfer read_blocks(int fd, std::uint64_t offset_bytes, Scatter outs) {
  Transfer transfer;
  while (!outs.empty()) {
    const ssize_t count =
        ::preadv(fd, outs.data(), outs.count(), to_off(offset_bytes + transfer.done_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) transfer.os_errno = errno;
    if (count <= 0) return transfer;
    const auto step = static_cast<std::size_t>(count);
    transfer.done_bytes += step;
    outs.advance(step);
    if (step % kDirectAlignmentBytes != 0) return transfer;
  }
  return transfer;
}

Transfer read_bounced(int fd, std::uint64_t offset_bytes, Scatter outs) {
  const std::uint64_t blocks_begin = align_down(offset_bytes);
  const std::uint64_t blocks_end = align_up(offset_bytes + outs.size_bytes());
  const auto bounce_bytes = std::min<std::uint64_t>(blocks_end - blocks_begin, kBounceBytesMax);
  const BounceBuffer bounce = make_bounce_buffer(bounce_bytes);
  if (!bounce) return {0, ENOMEM};
  Transfer transfer;
  for (std::uint64_t at = blocks_begin; at < blocks_end; at += bounce_bytes) {
    const MutableBytes blocks{bounce.get(), std::min(bounce_bytes, blocks_end - at)};
    const std::array<MutableBytes, 1> one{blocks};
    const Transfer part = read_blocks(fd, at, Scatter(one));
    const std::size_t skip = at < offset_bytes ? offset_bytes - at : 0;
    const std::size_t got = part.done_bytes > skip ? part.done_bytes - skip : 0;
    const std::size_t wanted = std::min(got, outs.size_bytes());
    outs.fill(Bytes(blocks).subspan(std::min(skip, blocks.size()), wanted));
    transfer.done_bytes += wanted;
    transfer.os_errno = part.os_errno;
    if (part.done_bytes < blocks.size()) break;
  }
  return transfer;
}

// Writes whole blocks at an aligned offset; the data may lie anywhere in memory.
Transfer write_blocks(int fd, std::uint64_t offset_bytes, Bytes data) {
  if (is_aligned(data.data())) return write_all(fd, offset_bytes, data);
  const BounceBuffer bounce = make_bounce_buffer(std::min(data.size(), kBounceBytesMax));
  if (!bounce) return {0, ENOMEM};
  Transfer transfer;
  while (transfer.done_bytes < data.size() && transfer.os_errno == 0) {
    const Bytes rest = data.subspan(transfer.done_bytes);
    const Bytes blocks{bounce.get(), std::min(rest.size(), kBounceBytesMax)};
    std::memcpy(bounce.get(), rest.data(), blocks.size());
    const Transfer part = write_all(fd, offset_bytes + transfer.done_bytes, blocks);
    transfer.done_bytes += part.done_bytes;
    transfer.os_errno = part.os_errno;
  }
  return transfer;
}

}  // namespace

Transfer read_all(int fd, std::uint64_t offset_bytes, MutableBytes out) {
  Transfer transfer;
  while (transfer.done_bytes < out.size()) {
    const MutableBytes rest = out.subspan(transfer.done_bytes);
    const ssize_t count =
        ::pread(fd, rest.data(), rest.size(), to_off(offset_bytes + transfer.done_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) transfer.os_errno = errno;
    if (count <= 0) return transfer;
    transfer.done_bytes += static_cast<std::size_t>(count);
  }
  return transfer;
}

Transfer read_all(int fd, std::uint64_t offset_bytes, Scatter outs) {
  Transfer transfer;
  while (!outs.empty()) {
    const ssize_t count =
        ::preadv(fd, outs.data(), outs.count(), to_off(offset_bytes + transfer.done_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) transfer.os_errno = errno;
    if (count <= 0) return transfer;
    transfer.done_bytes += static_cast<std::size_t>(count);
    outs.advance(static_cast<std::size_t>(count));
  }
  return transfer;
}

Transfer write_all(int fd, std::uint64_t offset_bytes, Bytes data) {
  Transfer transfer;
  while (transfer.done_bytes < data.size()) {
    const Bytes rest = data.subspan(transfer.done_bytes);
    const ssize_t count =
        ::pwrite(fd, rest.data(), rest.size(), to_off(offset_bytes + transfer.done_bytes));
    if (count < 0 && errno == EINTR) continue;
    // A write that takes nothing and reports no error would be repeated for ever.
    if (count <= 0) transfer.os_errno = count < 0 ? errno : EIO;
    if (count <= 0) return transfer;
    transfer.done_bytes += static_cast<std::size_t>(count);
  }
  return transfer;
}

Transfer write_all(int fd, std::uint64_t offset_bytes, std::span<const Bytes> parts) {
  boost::container::small_vector<iovec, 64> vectors;
  for (const Bytes part : parts) {
    // pwritev only reads from these buffers.
    vectors.push_back({const_cast<std::uint8_t*>(part.data()), part.size()});
  }
  Transfer transfer;
  for (auto rest = vectors.begin(); rest != vectors.end();) {
    const ssize_t count = ::pwritev(fd, &*rest, static_cast<int>(vectors.end() - rest),
                                    to_off(offset_bytes + transfer.done_bytes));
    if (count < 0 && errno == EINTR) continue;
    auto left = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    transfer.done_bytes += left;
    for (; rest != vectors.end() && rest->iov_len <= left; ++rest) left -= rest->iov_len;
    if (rest == vectors.end()) break;
    if (count <= 0) {
      transfer.os_errno = count < 0 ? errno : EIO;
      break;
    }
    rest->iov_base = static_cast<std::uint8_t*>(rest->iov_base) + left;
    rest->iov_len -= left;
  }
  return transfer;
}

Transfer read_all_direct(int fd, std::uint64_t offset_bytes, Scatter outs) {
  if (outs.empty()) return {};
  const bool aligned =
      offset_bytes == align_down(offset_bytes) && outs.aligned_to(kDirectAlignmentBytes);
  return aligned ? read_blocks(fd, offset_bytes, std::move(outs))
                 : read_bounced(fd, offset_bytes, std::move(outs));
}

Transfer write_all_direct(int direct_fd, int cached_fd, std::uint64_t offset_bytes, Bytes data) {
  const std::uint64_t end = offset_bytes + data.size();
  const std::uint64_t blocks_begin = align_up(offset_bytes);
  const std::uint64_t blocks_end = align_down(end);
  if (blocks_begin >= blocks_end) return write_all(cached_fd, offset_bytes, data);

  const Bytes head = data.first(blocks_begin - offset_bytes);
  const Bytes blocks = data.subspan(head.size(), blocks_end - blocks_begin);
  const Bytes tail = data.subspan(head.size() + blocks.size());
  Transfer part = write_all(cached_fd, offset_bytes, head);
  std::size_t done_bytes = part.done_bytes;
  if (part.os_errno == 0) {
    part = write_blocks(direct_fd, blocks_begin, blocks);
    // A file that needs larger blocks than ours can be opened, but refuses the write now.
    if (part.os_errno == EINVAL) part = write_all(cached_fd, blocks_begin, blocks);
    done_bytes += part.done_bytes;
  }
  if (part.os_errno == 0) {
    part = write_all(cached_fd, blocks_end, tail);
    done_bytes += part.done_bytes;
  }
  return {done_bytes, part.os_errno};
}

Transfer write_all_direct(int direct_fd, int cached_fd, std::uint64_t offset_bytes,
                          std::span<const Bytes> parts) {
  // The copy begins at the same place in a block as the data in the file, so blocks are aligned in
  // both.
  const auto begin_bytes = static_cast<std::size_t>(offset_bytes - align_down(offset_bytes));
  const auto size_bytes = total_size(parts);
  const BounceBuffer together = make_bounce_buffer(align_up(begin_bytes + size_bytes));
  if (!together) return write_all(cached_fd, offset_bytes, parts);
  auto* const begin = together.get() + begin_bytes;
  auto* end = begin;
  for (const Bytes part : parts) end = std::copy(part.begin(), part.end(), end);
  return write_all_direct(direct_fd, cached_fd, offset_bytes, Bytes{begin, size_bytes});
}

}  // namespace dgfs::storage
