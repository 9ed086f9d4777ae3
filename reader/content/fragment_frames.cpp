// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content/fragment_frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/content/extent.h"
#include "reader/content/read_scratch.h"

namespace dgfs::reader {
namespace {

// The file's part of the frame (F-307).
Result<Bytes> part_of(const Extent& extent, const Buffer& frame) {
  const std::size_t begin = *extent.fragment_offset;
  if (begin <= frame.size() && extent.content_bytes <= frame.size() - begin) {
    return Bytes(frame).subspan(begin, static_cast<std::size_t>(extent.content_bytes));
  }
  return frame_error(3265, extent, 0, 0, "the fragment frame ends before the file");
}

}  // namespace

Status FragmentFrames::read(const Extent& extent, std::uint64_t at, MutableBytes out) const {
  const auto frame = frame_of(extent);
  const auto part = frame ? part_of(extent, *frame.assume_value()) : frame.assume_error();
  if (!part) {
    CounterCells::add(counters_.errors);
    std::fill(out.begin(), out.end(), std::uint8_t{0});  // F-300
    return part.assume_error();
  }
  std::memcpy(out.data(), part.assume_value().data() + at, out.size());
  return ok();
}

Status FragmentFrames::open_stored(const Extent& extent, Bytes stored, Buffer& content) const {
  DGFS_TRY(frame, frame_of(extent, stored));
  DGFS_TRY(part, part_of(extent, *frame));
  content.assign(part.begin(), part.end());
  return ok();
}

Result<std::shared_ptr<const Buffer>> FragmentFrames::frame_of(const Extent& extent,
                                                               std::optional<Bytes> stored) const {
  const ContentKey key = {caches_.image,
                          ContentKey::Kind::kFragmentFrame,
                          extent.codec,
                          extent.address.volume,
                          extent.address.offset_bytes,
                          extent.stored_bytes,
                          0};
  if (auto cached = caches_.frames.find(key)) return cached;
  if (!stored) {
    const auto whole = ReadScratch::first(ReadScratch::get().stored,
                                          static_cast<std::size_t>(extent.stored_bytes));
    DGFS_CHECK(read_stored(extent, 0, {&whole, 1}, counters_));
    stored = whole;
  }
  auto content = format::open_fragment_frame(*stored, options_);
  if (!content) return frame_error(3089, extent, 0, 0, content.assume_error().text().c_str());
  auto frame = std::make_shared<const Buffer>(std::move(content).assume_value());
  caches_.frames.put(key, {frame, frame->capacity()});
  return frame;
}

}  // namespace dgfs::reader
