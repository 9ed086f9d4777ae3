// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents of files. FLUSH has no operation: libfuse answers it once, with ENOSYS. RELEASE comes
// only for files that CREATE has opened, and there is nothing to do.
#include <linux/falloc.h>
#include <linux/fs.h>

#include <cerrno>

#include "fuse/transport/serving_thread.h"
#include "fuse/view/entry_reply.h"
#include "fuse/view/kernel_extensions.h"
#include "fuse/view/privileges.h"
#include "fuse/view/view_operations.h"

namespace dgfs::fuse {
namespace {

void open_file(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  if (served<ViewFileSystem>(request).opens_unanswered()) {
    return answer_never(request, Request::kOpen);
  }
  service_of(request).counters.count(Request::kOpen);
  file->keep_cache = 1;
  fuse_reply_open(request, file);
}

void release(fuse_req_t request, fuse_ino_t, fuse_file_info*) {
  service_of(request).counters.count(Request::kRelease);
  fuse_reply_err(request, 0);
}

void read_file(fuse_req_t request, fuse_ino_t inode, std::size_t size_bytes, off_t offset,
               fuse_file_info*) {
  answer<ViewFileSystem>(request, {Request::kRead, inode}, [&](ViewFileSystem& mounted) -> Status {
    const auto buffer = reply_room(size_bytes);
    DGFS_TRY(count, mounted.view.read(inode, static_cast<std::uint64_t>(offset), buffer));
    mounted.counters.count_content(count);
    fuse_reply_buf(request, reinterpret_cast<const char*>(buffer.data()), count);
    return ok();
  });
}

// Writes all bytes. A program that gets a partial write continues, and sees an error then; but
// for cached pages the kernel does not continue.
Result<std::size_t> write_kept_pages(view::View& view, fuse_ino_t inode, std::uint64_t offset,
                                     Bytes bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    DGFS_TRY(count, view.write(inode, offset + written, bytes.subspan(written)));
    written += count;
  }
  return written;
}

// The kernel always gives the offset, also for appends, because only it knows the current end. For
// cached pages it has dropped privileges before; and it must get no notification now, because it
// may be waiting for these pages while it evicts the inode.
void write_file(fuse_req_t request, fuse_ino_t inode, const char* bytes, std::size_t size_bytes,
                off_t offset, fuse_file_info*) {
  answer<ViewFileSystem>(request, {Request::kWrite, inode}, [&](ViewFileSystem& mounted) -> Status {
    const Bytes wanted(reinterpret_cast<const std::uint8_t*>(bytes), size_bytes);
    const auto from = static_cast<std::uint64_t>(offset);
    if (is_write_of_kept_pages()) {
      DGFS_TRY(count, write_kept_pages(mounted.view, inode, from, wanted));
      mounted.counters.count_written(count);
      fuse_reply_write(request, count);
      return ok();
    }
    DGFS_CHECK(drop_privileges(request, mounted, inode,
                               kills_set_ids_by_write() ? DropsSetIds::kYes : DropsSetIds::kNo));
    DGFS_TRY(count, mounted.view.write(inode, from, wanted));
    mounted.counters.count_written(count);
    fuse_reply_write(request, count);
    return ok();
  });
}

void sync_file(fuse_req_t request, fuse_ino_t inode, int, fuse_file_info*) {
  answer<ViewFileSystem>(request, {Request::kSync, inode}, [&](ViewFileSystem& mounted) -> Status {
    DGFS_CHECK(mounted.view.sync(inode));
    fuse_reply_err(request, 0);
    return ok();
  });
}

// The kernel passes no other modes to FUSE files. Modes that would reserve space are refused,
// because a write never reuses the space of what it replaces.
void allocate(fuse_req_t request, fuse_ino_t inode, int mode, off_t offset, off_t length,
              fuse_file_info*) {
  answer<ViewFileSystem>(
      request, {Request::kAllocate, inode}, [&](ViewFileSystem& mounted) -> Status {
        const bool keeps_size = (mode & FALLOC_FL_KEEP_SIZE) != 0;
        const int what = mode & ~FALLOC_FL_KEEP_SIZE;
        const bool is_punch = what == FALLOC_FL_PUNCH_HOLE && keeps_size;
        if (!is_punch && what != FALLOC_FL_ZERO_RANGE) {
          return Error(ErrorKind::kUnsupported, 5043, "space cannot be reserved");
        }
        if (offset < 0 || length <= 0) {
          return Error(ErrorKind::kInvalidArgument, 5044, "offset or length below zero");
        }
        DGFS_CHECK(drop_privileges(request, mounted, inode, DropsSetIds::kUnlessRoot));
        DGFS_CHECK(mounted.view.zero(
            inode, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length),
            keeps_size ? view::ZeroMode::kKeepSize : view::ZeroMode::kGrow));
        fuse_reply_err(request, 0);
        return ok();
      });
}

void seek(fuse_req_t request, fuse_ino_t inode, off_t offset, int whence, fuse_file_info*) {
  // The kernel asks without writing back first, and pages that it holds are unknown here.
  if (served<ViewFileSystem>(request).writes_back()) return answer_never(request, Request::kSeek);
  answer<ViewFileSystem>(request, {Request::kSeek, inode}, [&](ViewFileSystem& mounted) -> Status {
    if (offset < 0) return Error(ErrorKind::kNoData, 5045, "an offset below zero");
    const auto from = static_cast<std::uint64_t>(offset);
    DGFS_TRY(target, whence == SEEK_DATA ? mounted.view.next_data(inode, from)
                                         : mounted.view.next_hole(inode, from));
    fuse_reply_lseek(request, static_cast<off_t>(target));
    return ok();
  });
}

void copy_range(fuse_req_t request, fuse_ino_t from, off_t from_offset, fuse_file_info*,
                fuse_ino_t to, off_t to_offset, fuse_file_info*, std::size_t size_bytes, int) {
  answer<ViewFileSystem>(
      request, {Request::kCopyRange, to}, [&](ViewFileSystem& mounted) -> Status {
        DGFS_CHECK(drop_privileges(request, mounted, to, DropsSetIds::kUnlessRoot));
        DGFS_TRY(count, mounted.view.copy(from, static_cast<std::uint64_t>(from_offset), to,
                                          static_cast<std::uint64_t>(to_offset), size_bytes));
        fuse_reply_write(request, count);
        return ok();
      });
}

}  // namespace

void add_view_content_operations(fuse_lowlevel_ops& operations) {
  operations.open = open_file;
  operations.release = release;
  operations.read = read_file;
  operations.write = write_file;
  operations.fsync = sync_file;
  operations.fallocate = allocate;
  operations.lseek = seek;
  operations.copy_file_range = copy_range;
}

}  // namespace dgfs::fuse
