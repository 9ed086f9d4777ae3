// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/file_digest.h"

#include <algorithm>
#include <utility>

#include "format/limits.h"

namespace dgfs::builder {
namespace {

// Bytes hashed between two checks of the stop flag: some hundredths of a second.
constexpr std::uint64_t kZerosAtOnce = std::uint64_t{16} << 20;

}  // namespace

Result<FileDigest> FileDigest::make(format::DigestAlgorithm algorithm, StopFlag stop,
                                    HashedZeros* hashed) {
  DGFS_TRY(hasher, format::DigestHasher::make(algorithm));
  return FileDigest(std::move(hasher), stop, hashed);
}

Status FileDigest::begin(std::shared_ptr<const SegmentList> segments, std::uint64_t size_bytes) {
  if (at_ != 0) {
    DGFS_CHECK(hasher_.finish());
  }
  zeros_.drop();
  next_segment_.reset();
  segments_ = std::move(segments);
  segment_ = {0, segments_ == nullptr ? size_bytes : 0, 0};
  size_bytes_ = size_bytes;
  at_ = 0;
  return ok();
}

Status FileDigest::update(Bytes content) {
  while (!content.empty()) {
    if (at_ == segment_.begin + segment_.length) {
      if (!next_segment_) next_segment_.emplace(*segments_, 0);
      segment_ = next_segment_->next();
      DGFS_CHECK(add_zeros_to(segment_.begin));
    }
    const auto left = segment_.begin + segment_.length - at_;
    const auto part =
        content.first(static_cast<std::size_t>(std::min<std::uint64_t>(content.size(), left)));
    hasher_.update(part);
    at_ += part.size();
    content = content.subspan(part.size());
  }
  return ok();
}

Status FileDigest::update_frames(Bytes frames) {
  while (!frames.empty()) {
    const auto frame =
        frames.first(std::min(frames.size(), format::kChecksumBytes + format::kFrameBytes));
    DGFS_CHECK(update(frame.subspan(format::kChecksumBytes)));
    frames = frames.subspan(frame.size());
  }
  return ok();
}

Result<MadeDigest> FileDigest::finish() {
  DGFS_CHECK(add_zeros_to(size_bytes_));
  at_ = 0;
  DGFS_TRY(digest, hasher_.finish());
  return MadeDigest{digest, std::exchange(zeros_, ZerosOfFile(hashed_))};
}

Status FileDigest::add_zeros_to(std::uint64_t offset_bytes) {
  while (at_ < offset_bytes) {
    DGFS_CHECK(stop_.check());
    const auto part = std::min(offset_bytes - at_, kZerosAtOnce);
    hasher_.update_zeros(part);
    zeros_.add(part);
    at_ += part;
  }
  return ok();
}

}  // namespace dgfs::builder
