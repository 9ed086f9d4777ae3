// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/fuse/fuse_ring_entry.h"

#include <linux/fuse.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dgfs::storage {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kFixedBytesMax = sizeof(fuse_in_header) + sizeof(FuseRingHeader::body);
// Shorter contents are copied, so that the request stays valid while its reply is put together.
constexpr std::size_t kCopiedBytesMax = 8192;
constexpr std::size_t kCopyAt = 512;
constexpr std::size_t kPayloadAt = 3 * kPageBytes;
static_assert(kCopyAt >= sizeof(FuseRingHeader));
static_assert(kCopyAt + kFixedBytesMax + kCopiedBytesMax <= kPayloadAt - kFixedBytesMax);

bool is_forget(std::uint32_t opcode) {
  return opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET;
}

}  // namespace

AnonymousMemory::AnonymousMemory(std::size_t size_bytes)
    : begin_(::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
      size_bytes_(size_bytes) {}
AnonymousMemory::~AnonymousMemory() {
  if (*this) ::munmap(begin_, size_bytes_);
}
AnonymousMemory::operator bool() const { return begin_ != MAP_FAILED; }

FuseRingEntry::FuseRingEntry(unsigned queue, std::size_t payload_bytes)
    : queue_(static_cast<std::uint16_t>(queue)),
      payload_bytes_(payload_bytes),
      memory_(kPayloadAt + payload_bytes) {}

std::uint8_t* FuseRingEntry::payload() const { return memory_.begin() + kPayloadAt; }

const std::array<iovec, 2>& FuseRingEntry::parts() {
  parts_ = {iovec{&header(), sizeof(FuseRingHeader)}, iovec{payload(), payload_bytes_}};
  return parts_;
}

MutableBytes FuseRingEntry::take_request() {
  fuse_in_header in{};
  std::memcpy(&in, header().in_out, sizeof in);
  unique_ = in.unique;
  opcode_ = in.opcode;
  const std::size_t contents_bytes = header().payload_bytes;
  const auto fixed_bytes = in.len - contents_bytes;
  has_room_ = contents_bytes <= kCopiedBytesMax;
  if (in.len < contents_bytes || fixed_bytes < sizeof in || fixed_bytes > kFixedBytesMax ||
      contents_bytes > payload_bytes_) {
    return {};
  }
  auto* const begin = has_room_ ? memory_.begin() + kCopyAt : payload() - fixed_bytes;
  std::memcpy(begin, &in, sizeof in);
  std::memcpy(begin + sizeof in, header().body, fixed_bytes - sizeof in);
  if (has_room_) std::memcpy(begin + fixed_bytes, payload(), contents_bytes);
  return {begin, in.len};
}

bool FuseRingEntry::is_reply(const fuse_out_header& out) const { return out.unique == unique_; }

bool FuseRingEntry::put_reply(std::span<const iovec> parts) {
  std::size_t length = 0;
  for (const iovec& part : parts.subspan(1)) {
    if (part.iov_len > payload_bytes_ - length) return false;
    // A reply that was built there is in place already.
    if (part.iov_base != payload() + length) {
      std::memmove(payload() + length, part.iov_base, part.iov_len);
    }
    length += part.iov_len;
  }
  std::memcpy(header().in_out, parts.front().iov_base, sizeof(fuse_out_header));
  header().payload_bytes = static_cast<std::uint32_t>(length);
  has_reply_ = true;
  return true;
}

void FuseRingEntry::complete_reply() {
  if (!std::exchange(has_reply_, false)) {
    const fuse_out_header out{sizeof out, is_forget(opcode_) ? 0 : -EIO, unique_};
    std::memcpy(header().in_out, &out, sizeof out);
    header().payload_bytes = 0;
  }
  unique_ = 0;
}

}  // namespace dgfs::storage
