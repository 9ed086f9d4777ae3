// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/ahead/prefetcher.h"

#include <fuse_lowlevel.h>

#include "base/bytes.h"
#include "format/entry/mode.h"
#include "fuse/transport/serving_thread.h"

namespace dgfs::fuse {
namespace {

// In larger files the kernel reads ahead by itself.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{128} << 10;
// The limit for one read, because its reader waits so long.
constexpr std::uint64_t kRangeBytesMax = std::uint64_t{1} << 20;

}  // namespace

void Prefetcher::saw_listing(const InodeRange& names) {
  if (session_ == nullptr || names.begin >= names.end) return;
  const std::lock_guard lock(mutex_);
  sequences_.listed(names);
}

void Prefetcher::saw_lookup(const reader::Node& node) {
  if (session_ == nullptr || !format::is_regular(node.mode) || node.size_bytes == 0) return;
  {
    const std::lock_guard lock(mutex_);
    if (!forecast_.saw_lookup(node.inode)) return;
  }
  image_.announce_read(node, kFileBytesMax);
  counters_.count_announced();
}

void Prefetcher::saw_read(format::InodeNumber inode) {
  if (session_ == nullptr) return;
  const std::unique_lock alone(bringing_, std::try_to_lock);
  std::optional<InodeRange> range;
  {
    const std::lock_guard lock(mutex_);
    range = sequences_.read(inode);
    if (forecast_.saw_read(inode)) counters_.count_announced_read();
  }
  if (range && alone && may_wait_for_answers()) bring(*range);
}

void Prefetcher::bring(InodeRange range) {
  const auto end = range.end;
  range.end = range.begin;
  std::uint64_t bytes = 0;
  while (range.end < end && bytes < kRangeBytesMax) {
    const auto node = image_.by_inode(range.end++);
    if (!node) break;
    const auto& file = node.value();
    // For a hard link, bring() uses file.inode: the kernel knows it by the number of all its names.
    if (!format::is_regular(file.mode) || file.size_bytes == 0) continue;
    if (file.size_bytes > kFileBytesMax) continue;
    if (!bring(file)) break;
    bytes += file.size_bytes;
  }
  const std::lock_guard lock(mutex_);
  sequences_.brought(range);
}

bool Prefetcher::bring(const reader::Node& file) {
  thread_local Buffer content(kFileBytesMax);
  const auto bytes = MutableBytes(content).first(static_cast<std::size_t>(file.size_bytes));
  const auto count = image_.read(file, 0, bytes);
  if (!count || count.value() != bytes.size()) return false;
  auto buffers = FUSE_BUFVEC_INIT(bytes.size());
  buffers.buf[0].mem = bytes.data();
  const int result = fuse_lowlevel_notify_store(session_, file.inode, 0, &buffers,
                                                static_cast<fuse_buf_copy_flags>(0));
  // Fails if the kernel has forgotten the file.
  if (result != 0) return false;
  counters_.count_prefetched(bytes.size());
  for (const auto& piece : reads_.saw_read(file, 0, bytes.size())) image_.give_back(piece);
  return true;
}

}  // namespace dgfs::fuse
