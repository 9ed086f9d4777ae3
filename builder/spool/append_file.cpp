// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/append_file.h"

#include <algorithm>
#include <cstring>

namespace dgfs::builder {
namespace {

// For a write of this size, avoiding the copy pays.
constexpr std::size_t kInPlaceBytesMin = std::size_t{1} << 20;

std::size_t whole_blocks(std::size_t bytes) {
  return bytes / AppendFile::kBlockBytes * AppendFile::kBlockBytes;
}

}  // namespace

Status with_path(Status status, const std::string& path) {
  if (status || path.empty()) return status;
  const Error& error = status.error();
  return Error(error.kind(), error.code(), error.text()).in_file(path).with_errno(error.os_errno());
}

Status AppendFile::append(Bytes bytes) {
  reserve_buffer();
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), write_bytes_ - filled_);
    std::memcpy(buffer_.first(write_bytes_).data() + filled_, bytes.data(), count);
    filled_ += count;
    bytes = bytes.subspan(count);
    if (filled_ == write_bytes_) {
      DGFS_CHECK(write_whole_blocks());
    }
  }
  return ok();
}

Status AppendFile::append_in_place(storage::AlignedMemory& memory, std::size_t begin,
                                   std::size_t count) {
  if (count < kInPlaceBytesMin) return append(memory.first(begin + count).subspan(begin));
  DGFS_CHECK(write_whole_blocks());
  const MutableBytes all = memory.first(memory_bytes(count));
  if (begin % kBlockBytes != filled_) {
    std::memmove(all.data() + filled_, all.data() + begin, count);
    begin = filled_;
  }
  const MutableBytes own = all.subspan(begin - filled_).first(filled_ + count);
  if (filled_ != 0) std::memcpy(own.data(), buffer_.first(filled_).data(), filled_);
  const std::size_t whole = whole_blocks(own.size());
  DGFS_CHECK(write(own.first(whole)));
  written_ += whole;
  keep(own.subspan(whole));
  return ok();
}

Status AppendFile::align(std::size_t alignment) {
  const auto beyond = static_cast<std::size_t>(position() % alignment);
  return beyond == 0 ? Status(ok()) : append(Buffer(alignment - beyond));
}

Status AppendFile::flush() {
  DGFS_CHECK(write_whole_blocks());
  // The partial block stays in the buffer: if more bytes come, the block is written again.
  return filled_ == 0 ? Status(ok()) : write(buffer_.first(filled_));
}

Status AppendFile::read(std::uint64_t offset_bytes, MutableBytes out) const {
  if (offset_bytes < written_) {
    const auto part = out.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), written_ - offset_bytes)));
    DGFS_CHECK(storage::read_exactly(file_, offset_bytes, part));
    offset_bytes += part.size();
    out = out.subspan(part.size());
  }
  if (out.empty()) return ok();
  const auto kept =
      buffer_.first(filled_).subspan(static_cast<std::size_t>(offset_bytes - written_));
  std::memcpy(out.data(), kept.data(), out.size());
  return ok();
}

Result<AppendFile::Mark> AppendFile::mark() {
  DGFS_CHECK(write_whole_blocks());
  const MutableBytes head = buffer_.first(filled_);
  return Mark{written_, Buffer(head.begin(), head.end())};
}

void AppendFile::rewind(const Mark& mark) {
  written_ = mark.block_offset_bytes;
  keep(mark.head);
}

Status AppendFile::write(Bytes bytes) { return with_path(file_.write_at(written_, bytes), path_); }

Status AppendFile::write_whole_blocks() {
  const std::size_t whole = whole_blocks(filled_);
  if (whole == 0) return ok();
  DGFS_CHECK(write(buffer_.first(whole)));
  written_ += whole;
  keep(buffer_.first(filled_).subspan(whole));
  return ok();
}

void AppendFile::keep(Bytes rest) {
  filled_ = rest.size();
  if (filled_ == 0) return;
  reserve_buffer();
  std::memmove(buffer_.first(filled_).data(), rest.data(), filled_);
}

}  // namespace dgfs::builder
