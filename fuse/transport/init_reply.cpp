// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/init_reply.h"

#include <cstddef>
#include <cstring>

namespace dgfs::fuse {

std::optional<InitReply> InitReply::of(const RawRequest& request, std::span<const iovec> parts) {
  if (request.opcode() != FUSE_INIT || parts.size() < 2) return std::nullopt;
  if (parts[1].iov_len < FUSE_COMPAT_22_INIT_OUT_SIZE) return std::nullopt;
  return InitReply(parts[1]);
}

void InitReply::add_flags(std::uint32_t flags) { add(offsetof(fuse_init_out, flags), flags); }

bool InitReply::add_flags2(std::uint32_t flags2) {
  if (body_.iov_len < sizeof(fuse_init_out)) return false;
  add_flags(FUSE_INIT_EXT);
  add(offsetof(fuse_init_out, flags2), flags2);
  return true;
}

void InitReply::add(std::size_t offset_bytes, std::uint32_t bits) {
  auto* const place = static_cast<std::uint8_t*>(body_.iov_base) + offset_bytes;
  std::uint32_t word = 0;
  std::memcpy(&word, place, sizeof word);
  word |= bits;
  std::memcpy(place, &word, sizeof word);
}

void allow_parallel_lookups(const RawRequest& request, InitReply& reply) {
  const auto init = request.body<fuse_init_in>();
  if (init && (init->flags & FUSE_PARALLEL_DIROPS) != 0) reply.add_flags(FUSE_PARALLEL_DIROPS);
}

void allow_idmapped_mounts(const RawRequest& request, InitReply& reply) {
  // FUSE_ALLOW_IDMAP, bit 40 of all flags. Headers older than Linux 6.12 lack it.
  constexpr std::uint32_t kAllowIdmap = 1U << 8U;
  const auto init = request.body<fuse_init_in>();
  const bool is_offered =
      init && (init->flags & FUSE_INIT_EXT) != 0 && (init->flags2 & kAllowIdmap) != 0;
  if (is_offered) reply.add_flags2(kAllowIdmap);
}

}  // namespace dgfs::fuse
