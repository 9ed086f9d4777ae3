// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/image_file_system.h"

#include "fuse/image/image_operations.h"
#include "fuse/statistics/image_statistics.h"

namespace dgfs::fuse {
namespace {

// Reads ahead that may be under way at once; the kernel's 12 would leave a fast disk idle.
constexpr unsigned kBackgroundRequestsMax = 64;

// Not wanted, of what libfuse wants by itself: splicing (replies come from memory, where one copy
// is cheaper than page tricks, and requests are small), AUTO_INVAL_DATA (contents never change),
// ATOMIC_O_TRUNC (must be off where OPEN stays unanswered), READDIRPLUS_AUTO (names that were
// listed without attributes are looked up one by one by whoever wants these; attributes cost little
// here).
constexpr unsigned kWantedCapabilities =
    FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO | FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_PARALLEL_DIROPS |
    FUSE_CAP_READDIRPLUS | FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_NO_OPEN_SUPPORT |
    FUSE_CAP_NO_OPENDIR_SUPPORT | FUSE_CAP_EXPLICIT_INVAL_DATA;

}  // namespace

fuse_lowlevel_ops ImageFileSystem::operations() const {
  fuse_lowlevel_ops operations{};
  add_lookup_operations(operations);
  add_content_operations(operations);
  add_directory_operations(operations);
  add_xattr_operations(operations);
  return operations;
}

Status ImageFileSystem::start(Service&, fuse_session& session, unsigned threads) {
  if (serving_.prefetches && threads > 1) prefetcher.start(&session);
  return ok();
}

void ImageFileSystem::start_connection(fuse_conn_info& connection) noexcept {
  // With ACLs the kernel asks for two xattrs of every object whose access it checks, so they are
  // enabled only where there are some.
  const unsigned acls = has_acls() ? FUSE_CAP_POSIX_ACL : 0u;
  connection.want = connection.capable & (kWantedCapabilities | acls);
  opens_unanswered_ = (connection.capable & FUSE_CAP_NO_OPEN_SUPPORT) != 0;
  directory_opens_unanswered_ = (connection.capable & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0;
  connection.max_background = kBackgroundRequestsMax;
  connection.congestion_threshold = kBackgroundRequestsMax / 4 * 3;
  if (serving_.max_read_bytes != 0) {
    connection.max_read = static_cast<unsigned>(serving_.max_read_bytes);
  }
}

void ImageFileSystem::add_statistics(JsonObject& statistics) const {
  statistics
      .add("prefetched", JsonObject()
                             .add("files", counters.prefetched_files())
                             .add("bytes", counters.prefetched_bytes()))
      .add("announced", JsonObject()
                            .add("files", counters.announced_files())
                            .add("read", counters.announced_reads()));
  add_image_statistics(statistics, image);
}

}  // namespace dgfs::fuse
