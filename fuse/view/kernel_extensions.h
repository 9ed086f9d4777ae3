// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KernelExtensions: features that the kernel has and libfuse 3.14 lacks, for a mount with a delta:
// KILLPRIV_V2, SETXATTR_EXT, TMPFILE.
#pragma once

#include <atomic>
#include <cstdint>

#include "fuse/transport/request_filter.h"

namespace dgfs::fuse {

/// With KILLPRIV_V2 the kernel leaves it to the server to drop a file's privileges (set-user-id,
/// set-group-id, capabilities) when another user writes to it, and does not request
/// "security.capability" before each write. With SETXATTR_EXT the kernel says when setting an
/// access list clears the set-group-id bit. TMPFILE has the body and reply of CREATE, and is turned
/// into one.
/// KernelExtensions also agrees to mounts with mapped ids.
class KernelExtensions final : public RequestFilter {
 public:
  /// @param allows_idmaps  see allow_idmapped_mounts()
  explicit KernelExtensions(bool allows_idmaps = true) : allows_idmaps_(allows_idmaps) {}

  void see_request(RawRequest& request) override;
  void see_reply(const RawRequest& request, std::span<const iovec> parts) override;

 private:
  const bool allows_idmaps_;
  void take_init(const RawRequest& request);
  void shorten_set_xattr(RawRequest& request) const;

  /// The wanted flags that the kernel supports.
  std::atomic<std::uint32_t> flags_ = 0;
};

// The following ask about the request that the calling thread answers.

/// Whether the write must clear set-user-id and set-group-id bits of the file.
[[nodiscard]] bool kills_set_ids_by_write();
/// Whether it writes back cached pages: the kernel then checks for an error, but not how many bytes
/// were written.
[[nodiscard]] bool is_write_of_kept_pages();
/// Whether the change of an access list must clear the set-group-id bit of the file.
[[nodiscard]] bool kills_group_id_by_xattr();
/// Whether it is a CREATE of a file without a name.
[[nodiscard]] bool creates_unnamed();

}  // namespace dgfs::fuse
