// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Changes, which a mount without a delta refuses. The kernel sends them only if somebody has
// remounted it rw behind our back (mount -i, or mount(8) without our helper): it does not ask the
// server about a remount.
#include <cerrno>

#include "fuse/answer.h"
#include "fuse/image/image_operations.h"

namespace dgfs::fuse {
namespace {

/// EROFS, because programs would take ENOSYS or EPERM for a lack of the file system itself.
template <Request kind, class... Arguments>
void refuse(fuse_req_t request, Arguments...) noexcept {
  auto& counters = service_of(request).counters;
  counters.count(kind);
  counters.count_failure(kind);
  fuse_reply_err(request, EROFS);
}

}  // namespace

void add_refused_changes(fuse_lowlevel_ops& operations) {
  operations.setattr = refuse<Request::kSetAttributes>;
  operations.mknod = refuse<Request::kMakeNode>;
  operations.mkdir = refuse<Request::kMakeDirectory>;
  operations.symlink = refuse<Request::kMakeSymlink>;
  operations.create = refuse<Request::kCreate>;
  operations.link = refuse<Request::kLink>;
  operations.unlink = refuse<Request::kUnlink>;
  operations.rmdir = refuse<Request::kRemoveDirectory>;
  operations.rename = refuse<Request::kRename>;
  operations.write = refuse<Request::kWrite>;
  operations.fallocate = refuse<Request::kAllocate>;
  operations.copy_file_range = refuse<Request::kCopyRange>;
  operations.setxattr = refuse<Request::kSetXattr>;
  operations.removexattr = refuse<Request::kRemoveXattr>;
}

}  // namespace dgfs::fuse
