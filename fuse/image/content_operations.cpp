// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Files and symlinks: open, read, seek, readlink. FLUSH and RELEASE have no operation: libfuse
// answers FLUSH with ENOSYS, and the kernel sends RELEASE only for files that were opened.
#include <cerrno>

#include "fuse/answer.h"
#include "fuse/image/image_file_system.h"
#include "fuse/image/image_operations.h"
#include "fuse/transport/serving_thread.h"

namespace dgfs::fuse {
namespace {

void open_file(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  if (served<ImageFileSystem>(request).opens_unanswered()) {
    return answer_never(request, Request::kOpen);
  }
  service_of(request).counters.count(Request::kOpen);
  file->keep_cache = 1;
  fuse_reply_open(request, file);
}

// Call it after the reply. It throws nothing, because its caller would answer a second time.
void give_back_behind(const ImageFileSystem& mounted, const reader::Node& node, std::uint64_t begin,
                      std::uint64_t end) noexcept {
  const auto pieces = mounted.read_through.saw_read(node, begin, end);
  if (pieces.empty()) return;
  flush_reply();
  for (const auto& piece : pieces) mounted.image.give_back(piece);
}

// With O_DIRECT the kernel keeps none of the contents; then the page cache below is their only
// copy.
bool keeps_contents(const fuse_file_info& file) { return (file.flags & O_DIRECT) == 0; }

void read_file(fuse_req_t request, fuse_ino_t inode, std::size_t size_bytes, off_t offset,
               fuse_file_info* file) {
  const bool is_kept = keeps_contents(*file);
  answer<ImageFileSystem>(
      request, {Request::kRead, inode}, [&](const ImageFileSystem& mounted) -> Status {
        DGFS_TRY(node, mounted.image.by_inode(inode));
        const auto buffer = reply_room(size_bytes);
        const auto begin = static_cast<std::uint64_t>(offset);
        DGFS_TRY(count, mounted.image.read(node, begin, buffer));
        mounted.counters.count_content(count);
        if (offset == 0) mounted.prefetcher.saw_read(inode);
        fuse_reply_buf(request, reinterpret_cast<const char*>(buffer.data()), count);
        if (is_kept) give_back_behind(mounted, node, begin, begin + count);
        return ok();
      });
}

Result<std::uint64_t> seek_target(const reader::Image& image, const reader::Node& node,
                                  std::uint64_t offset, int whence) {
  return whence == SEEK_DATA ? image.next_data(node, offset) : image.next_hole(node, offset);
}

void seek(fuse_req_t request, fuse_ino_t inode, off_t offset, int whence, fuse_file_info*) {
  // After this answer the kernel treats every file as one piece of data, and does not ask again.
  if (!served<ImageFileSystem>(request).has_holes()) return answer_never(request, Request::kSeek);
  answer<ImageFileSystem>(request, {Request::kSeek, inode},
                          [&](const ImageFileSystem& mounted) -> Status {
                            DGFS_TRY(node, mounted.image.by_inode(inode));
                            const auto from = static_cast<std::uint64_t>(offset);
                            if (offset < 0 || from >= node.size_bytes) {
                              fuse_reply_err(request, ENXIO);
                              return ok();
                            }
                            const auto target = seek_target(mounted.image, node, from, whence);
                            // The only possible wrong argument is an offset without data after it.
                            if (!target && target.error().kind() == ErrorKind::kInvalidArgument) {
                              fuse_reply_err(request, ENXIO);
                              return ok();
                            }
                            if (!target) return target.error();
                            fuse_reply_lseek(request, static_cast<off_t>(target.value()));
                            return ok();
                          });
}

void read_link(fuse_req_t request, fuse_ino_t inode) {
  answer<ImageFileSystem>(request, {Request::kReadLink, inode},
                          [&](const ImageFileSystem& mounted) -> Status {
                            DGFS_TRY(node, mounted.image.by_inode(inode));
                            DGFS_TRY(target, mounted.image.read_link(node));
                            fuse_reply_readlink(request, target.c_str());
                            return ok();
                          });
}

}  // namespace

void add_content_operations(fuse_lowlevel_ops& operations) {
  operations.open = open_file;
  operations.read = read_file;
  operations.lseek = seek;
  operations.readlink = read_link;
}

}  // namespace dgfs::fuse
