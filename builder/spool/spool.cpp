// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/spool.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dgfs::builder {

Status Spool::append(Bytes bytes) {
  tail_.insert(tail_.end(), bytes.begin(), bytes.end());
  return tail_.size() >= place_.buffer_bytes ? spill() : Status(ok());
}

Status Spool::patch(std::uint64_t offset_bytes, Bytes bytes) {
  if (offset_bytes < filed_bytes_) {
    const auto filed = bytes.first(static_cast<std::size_t>(
        std::min<std::uint64_t>(bytes.size(), filed_bytes_ - offset_bytes)));
    DGFS_CHECK(file_->write_at(offset_bytes, filed));
    offset_bytes += filed.size();
    bytes = bytes.subspan(filed.size());
  }
  if (bytes.empty()) return ok();
  const auto at = static_cast<std::size_t>(offset_bytes - filed_bytes_);
  std::memcpy(tail_.data() + at, bytes.data(), bytes.size());
  return ok();
}

Status Spool::read(std::uint64_t offset_bytes, MutableBytes out) const {
  const auto filed_end = std::min<std::uint64_t>(filed_bytes_, offset_bytes + out.size());
  std::size_t done = 0;
  if (offset_bytes < filed_end) {
    done = static_cast<std::size_t>(filed_end - offset_bytes);
    DGFS_CHECK(storage::read_exactly(*file_, offset_bytes, out.first(done)));
  }
  if (done == out.size()) return ok();
  const auto tail_at = static_cast<std::size_t>(offset_bytes + done - filed_bytes_);
  std::memcpy(out.data() + done, tail_.data() + tail_at, out.size() - done);
  return ok();
}

Status Spool::spill() {
  if (file_ == nullptr) {
    DGFS_TRY(file, place_.env->create_unnamed(place_.directory_path));
    file_ = std::move(file);
  }
  DGFS_CHECK(file_->write_at(filed_bytes_, tail_));
  filed_bytes_ += tail_.size();
  tail_.clear();
  return ok();
}

SpoolCursor::SpoolCursor(const Spool& spool, std::uint64_t begin, std::uint64_t end,
                         std::size_t buffer_bytes)
    : spool_(&spool), end_(end), next_offset_(begin), buffer_bytes_(buffer_bytes) {}

Result<Bytes> SpoolCursor::take(std::size_t count) {
  if (filled_ - at_ < count) {
    DGFS_CHECK(refill(count));
  }
  const Bytes bytes(buffer_.data() + at_, count);
  at_ += count;
  return bytes;
}

Result<Bytes> SpoolCursor::take_again(std::size_t again, std::size_t count) {
  at_ -= again;
  return take(again + count);
}

Status SpoolCursor::refill(std::size_t wanted) {
  if (wanted > remaining_bytes()) {
    return Error(ErrorKind::kCorrupt, 4001, "temporary file ends early");
  }
  const std::size_t kept = filled_ - at_;
  if (kept != 0) std::memmove(buffer_.data(), buffer_.data() + at_, kept);
  const auto room = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::max(buffer_bytes_, wanted) - kept, end_ - next_offset_));
  if (buffer_.size() < kept + room) buffer_.resize(kept + room);
  at_ = 0;
  filled_ = kept;
  DGFS_CHECK(spool_->read(next_offset_, MutableBytes(buffer_).subspan(kept, room)));
  next_offset_ += room;
  filled_ += room;
  return ok();
}

}  // namespace dgfs::builder
