// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/intact_contents.h"

#include "reader/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/content/extent.h"
#include "format/limits.h"

namespace dgfs::reader {
namespace {

// Whole frames, so that no frame is read twice.
constexpr std::uint64_t kIntactChunkBytes = 16 * std::uint64_t{format::kFrameBytes};

}  // namespace

Status IntactContents::read() {
  DGFS_TRY(map, image_.sparse_map(node_));
  const auto data = std::move(map).value_or(format::SparseMap::whole(node_.size_bytes));
  Buffer buffer(static_cast<std::size_t>(std::min(kIntactChunkBytes, node_.size_bytes)));
  for (const auto& segment : data.segments()) {
    // Does not try every frame of a missing volume or an impossible extent: the size of the file is
    // unverified then, and may be 2^63 - 1.
    const auto place = image_.locate(node_, segment.begin);
    if (!place) {
      lose(segment.begin, segment.begin + segment.length, place.error());
    } else {
      DGFS_CHECK(read_segment(segment, buffer));
    }
  }
  tell();
  return ok();
}

Status IntactContents::check_complete() const {
  if (lost_bytes_ == 0) return ok();
  return Error(ErrorKind::kCorrupt, 3145,
               fmt::format("{} of {} bytes are lost", lost_bytes_, node_.size_bytes));
}

Status IntactContents::read_segment(const format::SparseMap::Segment& segment, Buffer& buffer) {
  for (std::uint64_t at = 0; at < segment.length; at += kIntactChunkBytes) {
    const auto bytes = static_cast<std::size_t>(std::min(kIntactChunkBytes, segment.length - at));
    const auto lost_before = lost_bytes_;
    DGFS_CHECK(
        read_range(segment.begin + at, segment.content + at, MutableBytes(buffer).first(bytes)));
    const auto next = at + bytes;
    if (lost_bytes_ == lost_before || next == segment.length) continue;
    if (!is_in_file(segment.begin + next)) {
      const Error behind(ErrorKind::kCorrupt, 3146, "behind the end of the file");
      lose(segment.begin + next, segment.begin + segment.length, behind);
      break;
    }
  }
  return ok();
}

// Saves trying each frame behind the end of a volume that was cut short.
bool IntactContents::is_in_file(std::uint64_t offset) const {
  const auto place = image_.locate(node_, offset);
  if (!place) return false;
  const auto status = image_.env().status(place.value().file);
  return status && place.value().offset_bytes < status.value().size_bytes;
}

Status IntactContents::read_range(std::uint64_t begin, std::uint64_t content, MutableBytes out) {
  const auto read = image_.read(node_, begin, out);
  if (read) return take_(begin, out);
  const auto frame_bytes = format::frame_bytes(node_.codec);
  auto piece = std::min<std::uint64_t>(frame_bytes - content % frame_bytes, out.size());
  if (piece == out.size()) {
    lose(begin, begin + out.size(), read.error());
    return ok();
  }
  for (std::uint64_t at = 0; at < out.size(); at += std::exchange(piece, frame_bytes)) {
    const auto bytes = std::min<std::uint64_t>(piece, out.size() - at);
    DGFS_CHECK(
        read_range(begin + at, content + at,
                   out.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes))));
  }
  return ok();
}

void IntactContents::lose(std::uint64_t begin, std::uint64_t end, const Error& error) {
  lost_bytes_ += end - begin;
  if (reason_ && range_.end == begin) {
    range_.end = end;
    return;
  }
  tell();
  range_ = {begin, end};
  reason_ = error;
}

void IntactContents::tell() {
  if (reason_) lost_(range_, *std::exchange(reason_, std::nullopt));
}

}  // namespace dgfs::reader
