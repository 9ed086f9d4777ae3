// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/image_file_system.h"

#include "fuse/connection.h"
#include "fuse/image/image_operations.h"
#include "fuse/statistics/image_statistics.h"

namespace dgfs::fuse {

fuse_lowlevel_ops ImageFileSystem::operations() const {
  fuse_lowlevel_ops operations{};
  add_lookup_operations(operations);
  add_content_operations(operations);
  add_directory_operations(operations);
  add_xattr_operations(operations);
  add_refused_changes(operations);
  return operations;
}

Status ImageFileSystem::start(Service&, fuse_session& session, unsigned threads) {
  if (serving_.prefetches && threads > 1) prefetcher.start(&session);
  // Drops also the attributes of the directory. If the kernel does not know it, it has no listing.
  walks.start([&session](format::InodeNumber directory) {
    static_cast<void>(fuse_lowlevel_notify_inval_inode(&session, directory, 0, 0));
  });
  return ok();
}

void ImageFileSystem::start_connection(fuse_conn_info& connection) noexcept {
  // With ACLs enabled, the kernel requests two xattrs of every object whose access it checks. So
  // they are enabled only if the image has some.
  const unsigned acls = has_acls() ? FUSE_CAP_POSIX_ACL : 0u;
  set_up_connection(connection, FUSE_CAP_ASYNC_DIO | FUSE_CAP_NO_OPENDIR_SUPPORT | acls,
                    serving_.max_read_bytes);
  opens_unanswered_ = leaves_opens_unanswered(connection);
  directory_opens_unanswered_ = (connection.capable & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0;
}

void ImageFileSystem::add_statistics(JsonObject& statistics) const {
  statistics
      .add("prefetched", JsonObject()
                             .add("files", counters.prefetched_files())
                             .add("bytes", counters.prefetched_bytes()))
      .add("announced", JsonObject()
                            .add("files", counters.announced_files())
                            .add("read", counters.announced_reads()))
      .add("listings", JsonObject()
                           .add("bare_names", counters.bare_names())
                           .add("dropped", counters.dropped_listings())
                           .add("to_drop", walks.to_drop()));
  add_image_statistics(statistics, image);
}

}  // namespace dgfs::fuse
