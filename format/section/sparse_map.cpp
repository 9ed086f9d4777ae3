// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/sparse_map.h"

#include <algorithm>

#include "format/coding.h"
#include "format/header/section.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kSegmentBytesMin = 2;  ///< two varints of one byte each

Error corrupt_sparse_map(std::uint16_t code, std::size_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text)).at_offset(offset);
}

std::uint64_t end_of(const SparseMap& map) {
  return map.segments().empty() ? 0 : map.segments().back().begin + map.segments().back().length;
}

Status decode_segment(Decoder& decoder, std::uint64_t file_bytes, SparseMap& map) {
  const auto offset = decoder.offset();
  DGFS_TRY(gap, decoder.varint());
  DGFS_TRY(length, decoder.varint());
  if (length == 0 || (gap == 0 && !map.segments().empty())) {  // F-081
    return corrupt_sparse_map(2761, offset, "segment is empty or touches the one before");
  }
  const auto left = file_bytes - end_of(map);
  if (gap > left || length > left - gap) {  // F-082
    return corrupt_sparse_map(2762, offset, "segment lies outside the file");
  }
  map.add(end_of(map) + gap, length);
  return ok();
}

Result<SparseMap> decode_map(Bytes body, std::uint64_t file_bytes) {
  Decoder decoder(body);
  DGFS_TRY(count, decoder.varint());
  if (count > decoder.remaining() / kSegmentBytesMin) {  // F-002
    return corrupt_sparse_map(2760, 0, "more segments than bytes");
  }
  if (count > kSparseSegmentsMax) {  // F-080
    return Error(ErrorKind::kLimit, 2763, "file has more than 2^24 segments");
  }
  SparseMap map;
  for (std::uint64_t i = 0; i < count; ++i) {
    DGFS_CHECK(decode_segment(decoder, file_bytes, map));
  }
  DGFS_CHECK(decoder.finish());
  return map;
}

}  // namespace

SparseMap SparseMap::whole(std::uint64_t file_bytes) {
  SparseMap map;
  if (file_bytes != 0) map.add(0, file_bytes);
  return map;
}

void SparseMap::add(std::uint64_t begin_bytes, std::uint64_t length_bytes) {
  segments_.push_back({begin_bytes, length_bytes, content_bytes()});
}

std::uint64_t SparseMap::content_bytes() const {
  return segments_.empty() ? 0 : segments_.back().content + segments_.back().length;
}

std::size_t SparseMap::find(std::uint64_t offset_bytes) const {
  const auto at = std::partition_point(segments_.begin(), segments_.end(), [&](const Segment& s) {
    return s.begin + s.length <= offset_bytes;
  });
  return static_cast<std::size_t>(at - segments_.begin());
}

std::size_t SparseMap::memory_bytes() const {
  return sizeof *this + segments_.capacity() * sizeof(Segment);
}

void SparseMap::encode(Buffer& out) const {
  Encoder encoder(out);
  encoder.varint(segments_.size());
  std::uint64_t end = 0;
  for (const auto& segment : segments_) {
    encoder.varint(segment.begin - end);
    encoder.varint(segment.length);
    end = segment.begin + segment.length;
  }
}

Result<SparseMap> SparseMap::decode(Bytes body, std::uint64_t file_bytes) {
  return in_section(SectionKind::kSparseMaps, decode_map(body, file_bytes));
}

}  // namespace dgfs::format
