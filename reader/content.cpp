// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "format/coding.h"
#include "format/limits.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::kChecksumBytes;
using format::kFrameBytes;

// A raw read has two spans a frame, and File takes at most 1024.
constexpr std::uint64_t kRawRunFramesMax = 512;
// Compressed frames are read into a buffer: 1 MiB of content at a time.
constexpr std::uint64_t kZstdRunFramesMax = 16;

Error bad_extent(std::uint16_t code, const Node& node, const char* what) {
  return Error(ErrorKind::kCorrupt, code, what)
      .in_section("contents")
      .at_offset(node.data.offset_bytes);
}

std::size_t frame_content_bytes(const Extent& extent, std::uint64_t frame) {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(kFrameBytes, extent.content_bytes - frame * kFrameBytes));
}

ContentKey frame_key(const Extent& extent, std::uint64_t frame) {
  return {ContentKey::Kind::kFrame,    extent.codec,        extent.address.volume,
          extent.address.offset_bytes, extent.stored_bytes, frame};
}

Status check_lengths(const Node& node, std::uint64_t content_bytes) {
  if (node.codec == format::ExtentCodec::kRaw) {  // F-302
    if (node.stored_bytes == format::raw_extent_bytes(content_bytes)) return ok();
    return bad_extent(3080, node, "the stored length contradicts the file's size");
  }
  if (node.codec != format::ExtentCodec::kZstd) {
    return bad_extent(3081, node, "unknown extent codec");
  }
  // F-304: a frame has at least its checksum and one byte.
  const auto frames = format::frame_count(content_bytes);
  if (frames > format::kZstdFramesMax) {  // F-305
    return Error(ErrorKind::kLimit, 3088, "more than 2^24 frames")
        .in_section("contents")
        .at_offset(node.data.offset_bytes);
  }
  const auto trailer = format::zstd_trailer_bytes(frames);
  if (node.stored_bytes < trailer || node.stored_bytes - trailer <= frames * kChecksumBytes ||
      (node.stored_bytes - trailer) / frames > format::kZstdFrameStoredBytesMax) {
    return bad_extent(3082, node, "the stored length contradicts the file's size");
  }
  return ok();
}

}  // namespace

// Consecutive frames, none of them cached, and the part of them that is asked for. Frames that
// are wanted whole are read in place; the first and the last may need a buffer.
struct Content::Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::size_t skip = 0;  // bytes of the first frame before `out`
  MutableBytes out;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Buffer>>> partial;

  // Where frame `frame` is to be read to.
  MutableBytes destination(const Extent& extent, std::uint64_t frame) {
    const auto bytes = frame_content_bytes(extent, frame);
    const auto begin = (frame - first) * kFrameBytes;
    if (begin >= skip && begin - skip + bytes <= out.size()) {
      return out.subspan(static_cast<std::size_t>(begin) - skip, bytes);
    }
    return *partial.emplace_back(frame, std::make_shared<Buffer>(bytes)).second;
  }
};

Result<Extent> Content::extent_of(const Node& node, std::uint64_t content_bytes) const {
  DGFS_TRY(volume, volumes_.get(node.data.volume));
  auto lengths = check_lengths(node, content_bytes);
  if (!lengths) return std::move(lengths).assume_error().in_file(volume->file->path());
  if (node.data.offset_bytes < format::kPageBytes || node.stored_bytes > volume->data_end ||
      node.data.offset_bytes > volume->data_end - node.stored_bytes) {
    return bad_extent(3083, node, "lies outside the data of its volume (a file cut short?)")
        .in_file(volume->file->path());
  }
  return Extent{
      volume,        node.data,  node.stored_bytes,
      content_bytes, node.codec, content_bytes > kFrameBytes || node.sparse_map.present()};
}

Status Content::read(const Extent& extent, std::uint64_t at, MutableBytes out) const {
  const auto run_frames_max =
      extent.codec == format::ExtentCodec::kRaw ? kRawRunFramesMax : kZstdRunFramesMax;
  while (!out.empty()) {
    Run run;
    run.first = at / kFrameBytes;
    run.skip = static_cast<std::size_t>(at % kFrameBytes);
    std::size_t length = 0;         // to be read
    std::size_t cached_length = 0;  // copied already, behind that
    while (length < out.size() && run.count < run_frames_max) {
      const auto in_frame = run.count == 0 ? run.skip : 0;
      const auto piece = std::min(frame_content_bytes(extent, run.first + run.count) - in_frame,
                                  out.size() - length);
      if (copy_cached(extent, at + length, out.subspan(length, piece))) {
        cached_length = piece;
        break;
      }
      length += piece;
      ++run.count;
    }
    run.out = out.first(length);
    if (run.count > 0) {
      DGFS_CHECK(read_run(extent, run));
    }
    at += length + cached_length;
    out = out.subspan(length + cached_length);
  }
  return ok();
}

void Content::announce(const Extent& extent, std::uint64_t stored_bytes_max) const {
  extent.volume->file->advise(storage::Access::kWillNeed, extent.address.offset_bytes,
                              std::min(extent.stored_bytes, stored_bytes_max));
}

void Content::give_back(const Extent& extent, std::uint64_t at, std::uint64_t length) const {
  const auto stored_begin = format::raw_frame_offset(at / kFrameBytes);
  const auto frame_end = (at + length + kFrameBytes - 1) / kFrameBytes;
  const auto stored_end = std::min(extent.stored_bytes, format::raw_frame_offset(frame_end));
  extent.volume->file->advise(storage::Access::kDontNeed,
                              extent.address.offset_bytes + stored_begin,
                              stored_end - stored_begin);
}

bool Content::copy_cached(const Extent& extent, std::uint64_t at, MutableBytes out) const {
  if (!extent.cached) return false;
  const auto frame = frames_.find(frame_key(extent, at / kFrameBytes));
  const auto begin = static_cast<std::size_t>(at % kFrameBytes);
  // Another file may claim the same place with another length: then it is not its frame.
  if (!frame || frame->size() != frame_content_bytes(extent, at / kFrameBytes)) return false;
  std::memcpy(out.data(), frame->data() + begin, out.size());
  return true;
}

Status Content::read_run(const Extent& extent, Run& run) const {
  auto status =
      extent.codec == format::ExtentCodec::kRaw ? read_raw(extent, run) : read_zstd(extent, run);
  if (!status) {
    CounterCells::add(counters_.errors);
    // F-300: nothing of a frame that failed may be seen, also by callers who look despite the
    // error.
    std::fill(run.out.begin(), run.out.end(), std::uint8_t{0});
    return status;
  }
  hand_out(extent, run);
  return ok();
}

Status Content::read_raw(const Extent& extent, Run& run) const {
  std::vector<std::uint64_t> checksums(run.count);
  std::vector<MutableBytes> spans;
  spans.reserve(2 * run.count);
  for (std::uint64_t i = 0; i < run.count; ++i) {
    spans.emplace_back(reinterpret_cast<std::uint8_t*>(&checksums[i]), kChecksumBytes);
    spans.push_back(run.destination(extent, run.first + i));
  }
  DGFS_CHECK(read_stored(extent, format::raw_frame_offset(run.first), spans));
  for (std::uint64_t i = 0; checked_ && i < run.count; ++i) {
    const auto frame = run.first + i;
    if (format::frame_checksum(frame, spans[2 * i + 1]) != checksums[i]) {  // F-300
      return frame_error(3084, extent, frame, format::raw_frame_offset(frame), "checksum mismatch");
    }
  }
  return ok();
}

Status Content::read_zstd(const Extent& extent, Run& run) const {
  std::vector<std::uint64_t> single = {0, extent.stored_bytes};
  ContentMapPointer table;
  if (format::frame_count(extent.content_bytes) > 1) {
    DGFS_TRY(cached, frame_offsets(extent));
    table = std::move(cached);
  }
  const auto& offsets = table ? table->frame_offsets : single;
  const auto begin = offsets[run.first];
  Buffer stored(static_cast<std::size_t>(offsets[run.first + run.count] - begin));
  const MutableBytes whole(stored);
  DGFS_CHECK(read_stored(extent, begin, {&whole, 1}));
  for (auto frame = run.first; frame < run.first + run.count; ++frame) {
    const auto bytes =
        Bytes(stored).subspan(offsets[frame] - begin, offsets[frame + 1] - offsets[frame]);
    const auto out = run.destination(extent, frame);
    const auto opened = checked_ ? format::open_frame(extent.codec, frame, bytes, out)
                                 : format::open_frame_unchecked(extent.codec, frame, bytes, out);
    if (!opened) {  // F-300, F-301
      return frame_error(3085, extent, frame, offsets[frame], opened.assume_error().text().c_str());
    }
  }
  return ok();
}

Status Content::read_stored(const Extent& extent, std::uint64_t offset,
                            std::span<const MutableBytes> outs) const {
  std::size_t wanted = 0;
  for (const auto& out : outs) wanted += out.size();
  const auto& file = *extent.volume->file;
  const auto place = extent.address.offset_bytes + offset;
  CounterCells::add(counters_.data_reads);
  CounterCells::add(counters_.data_read_bytes, wanted);
  auto read = file.read_at(place, outs);
  if (!read) return read_error(read.assume_error(), file.path(), "contents", place);
  if (read.assume_value() == wanted) return ok();
  return Error(ErrorKind::kCorrupt, 3086, "the file ends early")
      .in_file(file.path())
      .in_section("contents")
      .at_offset(place + read.assume_value());
}

// Copies what partial frames were read for, and keeps those that may be asked for again.
void Content::hand_out(const Extent& extent, Run& run) const {
  for (auto& [frame, buffer] : run.partial) {
    const auto begin = static_cast<std::size_t>((frame - run.first) * kFrameBytes);
    const auto from = begin < run.skip ? run.skip - begin : 0;
    const auto to = begin + from - run.skip;
    const auto length = std::min(buffer->size() - from, run.out.size() - to);
    std::memcpy(run.out.data() + to, buffer->data() + from, length);
    if (extent.cached) frames_.put(frame_key(extent, frame), {buffer, buffer->capacity()});
  }
}

Result<ContentMapPointer> Content::frame_offsets(const Extent& extent) const {
  const ContentKey key = {
      ContentKey::Kind::kFrameOffsets, extent.codec,        extent.address.volume,
      extent.address.offset_bytes,     extent.stored_bytes, extent.content_bytes};
  return maps_.get(key, [&]() -> Result<ContentMapCache::Loaded> {
    const auto frames = format::frame_count(extent.content_bytes);
    const auto trailer_bytes = format::zstd_trailer_bytes(frames);
    Buffer trailer(static_cast<std::size_t>(trailer_bytes));
    const MutableBytes whole(trailer);
    DGFS_CHECK(read_stored(extent, extent.stored_bytes - trailer_bytes, {&whole, 1}));
    auto map = std::make_shared<ContentMap>();
    DGFS_TRY(offsets,
             // F-303, F-304
             placed_result(format::zstd_frame_offsets(trailer, frames, extent.stored_bytes),
                           extent.volume->file->path(), "contents", extent.address.offset_bytes));
    map->frame_offsets = std::move(offsets);
    const auto bytes = map->memory_bytes();
    return ContentMapCache::Loaded{std::move(map), bytes};
  });
}

std::optional<Bytes> Content::open_stored(const Extent& extent, Bytes stored,
                                          Buffer& scratch) const {
  const auto frames = format::frame_count(extent.content_bytes);
  const bool raw = extent.codec == format::ExtentCodec::kRaw;
  if (raw && frames == 1) {  // as it stands: what most files are
    const auto content = stored.subspan(kChecksumBytes);
    const bool sound = !checked_ || format::frame_checksum(0, content) ==
                                        format::load<std::uint64_t>(stored, 0);  // F-300
    return sound ? std::optional(content) : std::nullopt;
  }
  std::vector<std::uint64_t> offsets = {0, extent.stored_bytes};
  if (!raw && frames > 1) {
    const auto trailer_bytes = static_cast<std::size_t>(format::zstd_trailer_bytes(frames));
    auto table = format::zstd_frame_offsets(stored.last(trailer_bytes), frames, stored.size());
    if (!table) return std::nullopt;
    offsets = std::move(table).assume_value();
  }
  const auto begin_of = [&](std::uint64_t frame) {
    return static_cast<std::size_t>(raw ? std::min(format::raw_frame_offset(frame), offsets.back())
                                        : offsets[frame]);
  };
  scratch.resize(static_cast<std::size_t>(extent.content_bytes));
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    const auto bytes = stored.subspan(begin_of(frame), begin_of(frame + 1) - begin_of(frame));
    const auto out = MutableBytes(scratch).subspan(static_cast<std::size_t>(frame) * kFrameBytes,
                                                   frame_content_bytes(extent, frame));
    const auto opened = checked_ ? format::open_frame(extent.codec, frame, bytes, out)
                                 : format::open_frame_unchecked(extent.codec, frame, bytes, out);
    if (!opened) return std::nullopt;
  }
  return scratch;
}

Status Content::check_neighbours(std::span<const Extent> extents) const {
  std::size_t stored_bytes = 0;
  for (const auto& extent : extents) stored_bytes += static_cast<std::size_t>(extent.stored_bytes);
  Buffer stored(stored_bytes);
  Buffer content(kFrameBytes);
  const MutableBytes whole(stored);
  DGFS_CHECK(read_stored(extents.front(), 0, {&whole, 1}));
  std::size_t at = 0;
  for (const auto& extent : extents) {
    const auto bytes = Bytes(stored).subspan(at, static_cast<std::size_t>(extent.stored_bytes));
    const MutableBytes out(content.data(), frame_content_bytes(extent, 0));
    const auto opened = format::open_frame(extent.codec, 0, bytes, out);
    if (!opened) return frame_error(3087, extent, 0, 0, opened.assume_error().text().c_str());
    at += bytes.size();
  }
  return ok();
}

Result<std::uint64_t> Content::locate(const Extent& extent, std::uint64_t at) const {
  const auto frame = at / kFrameBytes;
  const auto base = extent.address.offset_bytes;
  if (extent.codec == format::ExtentCodec::kRaw) {
    return base + format::raw_frame_offset(frame) + kChecksumBytes + at % kFrameBytes;
  }
  if (format::frame_count(extent.content_bytes) < 2) return base;
  DGFS_TRY(table, frame_offsets(extent));
  return base + table->frame_offsets[frame];
}

Error Content::frame_error(std::uint16_t code, const Extent& extent, std::uint64_t frame,
                           std::uint64_t stored_offset, const char* what) const {
  const auto begin = frame * kFrameBytes;
  return Error(ErrorKind::kCorrupt, code,
               fmt::format("bytes {}-{}: {}", begin, begin + frame_content_bytes(extent, frame) - 1,
                           what))
      .in_file(extent.volume->file->path())
      .in_section("contents")
      .at_offset(extent.address.offset_bytes + stored_offset);
}

}  // namespace dgfs::reader
