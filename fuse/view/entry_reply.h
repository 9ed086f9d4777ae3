// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Replies that tell the kernel about an object; the kernel counts each as one lookup.
#pragma once

#include "fuse/answer.h"
#include "fuse/view/view_attributes.h"
#include "fuse/view/view_file_system.h"

namespace dgfs::fuse {

/// Raises the count before the reply, because the kernel may forget the object right after it, and
/// lowers the count again if the kernel did not take the reply.
/// Errors: those of ViewFileSystem::stat_of(); there is no reply then.
inline Status reply_entry(fuse_req_t request, ViewFileSystem& mounted, const view::Entry& entry) {
  DGFS_TRY(told, mounted.entry_of(entry));
  mounted.known.add(entry.object);
  if (fuse_reply_entry(request, &told) != 0) mounted.forget(entry.object, 1);
  return ok();
}

/// The sender of a request that makes an object.
[[nodiscard]] inline view::Credentials credentials_of(fuse_req_t request) {
  const auto* context = fuse_req_ctx(request);
  return {context->uid, context->gid, context->umask};
}

}  // namespace dgfs::fuse
