// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/kernel_extensions.h"

#include <linux/fuse.h>

#include "fuse/transport/init_reply.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint32_t kWantedFlags = FUSE_HANDLE_KILLPRIV_V2 | FUSE_SETXATTR_EXT;
// The length of the extended body of SETXATTR that libfuse 3.14 knows.
constexpr std::size_t kShortSetXattr = FUSE_COMPAT_SETXATTR_IN_SIZE;

// Notes on requests that were changed.
constexpr std::uint32_t kWasTmpfile = 1;
constexpr std::uint32_t kKillsGroupId = 2;

bool has_note(std::uint32_t note) {
  const auto* const request = current_request();
  return request != nullptr && (request->note() & note) != 0;
}

bool has_write_flag(std::uint32_t flag) {
  const auto* const request = current_request();
  if (request == nullptr || request->opcode() != FUSE_WRITE) return false;
  const auto body = request->body<fuse_write_in>();
  return body && (body->write_flags & flag) != 0;
}

}  // namespace

void KernelExtensions::see_request(RawRequest& request) {
  switch (request.opcode()) {
    case FUSE_INIT:
      return take_init(request);
    case FUSE_SETXATTR:
      return shorten_set_xattr(request);
    case FUSE_TMPFILE:
      request.set_note(kWasTmpfile);
      return request.set_opcode(FUSE_CREATE);
    default:
      return;
  }
}

void KernelExtensions::take_init(const RawRequest& request) {
  const auto init = request.body<fuse_init_in>();
  flags_ = init ? init->flags & kWantedFlags : 0;
}

// A request that is too short for its body stays unchanged: libfuse refuses it.
void KernelExtensions::shorten_set_xattr(RawRequest& request) const {
  if ((flags_ & FUSE_SETXATTR_EXT) == 0) return;
  const auto body = request.body<fuse_setxattr_in>();
  if (!body) return;
  if ((body->setxattr_flags & FUSE_SETXATTR_ACL_KILL_SGID) != 0) request.set_note(kKillsGroupId);
  request.cut(kShortSetXattr, sizeof(fuse_setxattr_in) - kShortSetXattr);
}

// The answer to INIT has two parts: a header, and fuse_init_out.
void KernelExtensions::see_reply(const RawRequest& request, std::span<const iovec> parts) {
  auto reply = InitReply::of(request, parts);
  if (!reply) return;
  reply->add_flags(flags_);
  if (allows_idmaps_) allow_idmapped_mounts(request, *reply);
}

bool kills_set_ids_by_write() { return has_write_flag(FUSE_WRITE_KILL_SUIDGID); }

bool is_write_of_kept_pages() { return has_write_flag(FUSE_WRITE_CACHE); }

bool kills_group_id_by_xattr() { return has_note(kKillsGroupId); }

bool creates_unnamed() { return has_note(kWasTmpfile); }

}  // namespace dgfs::fuse
