// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/segment_list.h"

#include <algorithm>

#include "format/coding.h"

namespace dgfs::builder {

void SegmentList::add(std::uint64_t begin_bytes, std::uint64_t length_bytes) {
  if (count_ % kChunkSegments == 0) {
    if (!chunks_.empty()) chunks_.back().bytes.shrink_to_fit();
    chunks_.push_back({end_, content_bytes_, {}});
  }
  format::Encoder encoder(chunks_.back().bytes);
  encoder.varint(begin_bytes - end_);
  encoder.varint(length_bytes);
  end_ = begin_bytes + length_bytes;
  content_bytes_ += length_bytes;
  ++count_;
}

std::size_t SegmentList::encoded_bytes() const {
  std::size_t bytes = 0;
  for (const Chunk& chunk : chunks_) bytes += chunk.bytes.size();
  return bytes;
}

void SegmentList::encode(Buffer& out) const {
  constexpr std::size_t kVarintBytesMax = 10;
  out.reserve(out.size() + kVarintBytesMax + encoded_bytes());
  format::Encoder encoder(out);
  encoder.varint(count_);
  for (const Chunk& chunk : chunks_) encoder.raw(chunk.bytes);
}

std::size_t SegmentList::memory_bytes() const {
  return sizeof *this + chunks_.capacity() * sizeof(Chunk) + encoded_bytes();
}

SegmentList::Reader::Reader(const SegmentList& list, std::uint64_t content)
    : list_(list), content_(content) {
  const auto after =
      std::partition_point(list.chunks_.begin(), list.chunks_.end(),
                           [&](const Chunk& chunk) { return chunk.content <= content; });
  chunk_ = static_cast<std::size_t>(after - list.chunks_.begin()) - 1;
  end_ = list.chunks_[chunk_].end;
  content_end_ = list.chunks_[chunk_].content;
}

SegmentList::Segment SegmentList::Reader::next() {
  while (true) {
    const Segment segment = decode();
    if (segment.content + segment.length > content_) return segment;
  }
}

SegmentList::Segment SegmentList::Reader::decode() {
  if (at_ == list_.chunks_[chunk_].bytes.size()) {
    ++chunk_;
    at_ = 0;
  }
  format::Decoder decoder(Bytes(list_.chunks_[chunk_].bytes).subspan(at_));
  Segment segment;
  segment.begin = end_ + decoder.varint().value();
  segment.length = decoder.varint().value();
  segment.content = content_end_;
  at_ += decoder.offset();
  end_ = segment.begin + segment.length;
  content_end_ += segment.length;
  return segment;
}

}  // namespace dgfs::builder
