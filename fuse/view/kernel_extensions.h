// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KernelExtensions: what the kernel says in requests and libfuse 3.14 does not know, for a mount
// that can be written to: KILLPRIV_V2, SETXATTR_EXT, TMPFILE.
#pragma once

#include <atomic>
#include <cstdint>

#include "fuse/transport/request_filter.h"

namespace dgfs::fuse {

/// With KILLPRIV_V2 the kernel leaves it to the server to take the rights of a file (set-user-id,
/// set-group-id, capabilities) that another user writes to, and does not ask for
/// "security.capability" before each write. With SETXATTR_EXT it says when setting an access list
/// takes the set-group-id bit. TMPFILE has body and reply of CREATE, and becomes one.
class KernelExtensions final : public RequestFilter {
 public:
  void see_request(RawRequest& request) override;
  void see_reply(const RawRequest& request, std::span<const iovec> parts) override;

 private:
  void take_init(const RawRequest& request);
  void shorten_set_xattr(RawRequest& request) const;

  /// Of those that are wanted, the ones that the kernel can.
  std::atomic<std::uint32_t> flags_ = 0;
};

// Of the request that the calling thread answers.

/// The user of the write may not keep set-user-id and set-group-id bits of the file.
[[nodiscard]] bool kills_set_ids_by_write();
/// A write of pages that the kernel has kept: it looks for an error, and not for how much was
/// written.
[[nodiscard]] bool is_write_of_kept_pages();
/// The user who changes an access list may not keep the set-group-id bit of the file.
[[nodiscard]] bool kills_group_id_by_xattr();
/// A CREATE of a file without a name.
[[nodiscard]] bool creates_unnamed();

}  // namespace dgfs::fuse
