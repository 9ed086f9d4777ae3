// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content/content.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "format/coding.h"
#include "format/limits.h"
#include "reader/content/read_scratch.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::kChecksumBytes;

// A raw read has two spans for each frame, and File takes at most 1024 spans.
constexpr std::uint64_t kRawRunFramesMax = 512;
// Compressed frames are read into a buffer: 1 MiB of content at a time.
constexpr std::uint64_t kZstdRunFramesMax = 8;

ContentKey frame_key(const ContentCaches& caches, const Extent& extent, std::uint64_t frame) {
  return {caches.image,
          ContentKey::Kind::kFrame,
          extent.codec,
          extent.address.volume,
          extent.address.offset_bytes,
          extent.stored_bytes,
          frame};
}

}  // namespace

// A run of consecutive uncached frames, and the part of them to read. A frame that is wanted whole
// is read directly into `out`; the first and the last frame may need a buffer.
struct Content::Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::size_t skip = 0;  // bytes of the first frame before `out`
  MutableBytes out;
  // Frames read in part: at most the first and the last.
  struct Partial {
    std::uint64_t frame = 0;
    MutableBytes bytes;
    std::shared_ptr<Buffer> kept;  // owns the bytes if the cache will keep them; null: scratch
  };
  std::array<Partial, 2> partial;
  std::size_t partial_count = 0;

  // Destination of a read of frame `frame`.
  MutableBytes destination(const Extent& extent, std::uint64_t frame) {
    const auto bytes = extent.frame_content_bytes(frame);
    const auto begin = (frame - first) * extent.frame_bytes();
    if (begin >= skip && begin - skip + bytes <= out.size()) {
      return out.subspan(static_cast<std::size_t>(begin) - skip, bytes);
    }
    auto& part = partial[partial_count++];
    part.frame = frame;
    if (extent.cached) {
      part.kept = std::make_shared<Buffer>(bytes);
      part.bytes = *part.kept;
    } else {  // the only frame of a small file
      part.bytes = ReadScratch::first(ReadScratch::get().frame, bytes);
    }
    return part.bytes;
  }
};

Status Content::read(const Extent& extent, std::uint64_t at, MutableBytes out) const {
  if (extent.fragment_offset) return fragments_.read(extent, at, out);
  const auto run_frames_max =
      extent.codec == format::ExtentCodec::kRaw ? kRawRunFramesMax : kZstdRunFramesMax;
  while (!out.empty()) {
    Run run;
    run.first = at / extent.frame_bytes();
    run.skip = static_cast<std::size_t>(at % extent.frame_bytes());
    std::size_t length = 0;         // of this run
    std::size_t cached_length = 0;  // copied from the cache, behind the run
    while (length < out.size() && run.count < run_frames_max) {
      const auto in_frame = run.count == 0 ? run.skip : 0;
      const auto piece = std::min(extent.frame_content_bytes(run.first + run.count) - in_frame,
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

void Content::advise(const Extent& extent, storage::Access access, std::uint64_t at,
                     std::uint64_t length) const {
  const auto frame_bytes = extent.frame_bytes();
  const auto last = std::min(extent.frame_count(), (at + length + frame_bytes - 1) / frame_bytes);
  const auto begin = extent.frame_begin(at / frame_bytes, nullptr);
  extent.volume->file->advise(access, extent.address.offset_bytes + begin,
                              extent.frame_begin(last, nullptr) - begin);
}

bool Content::copy_cached(const Extent& extent, std::uint64_t at, MutableBytes out) const {
  if (!extent.cached) return false;
  const auto number = at / extent.frame_bytes();
  const auto frame = caches_.frames.find(frame_key(caches_, extent, number));
  const auto begin = static_cast<std::size_t>(at % extent.frame_bytes());
  // The size differs if a damaged entry of another file claims the same place.
  if (!frame || frame->size() != extent.frame_content_bytes(number)) return false;
  std::memcpy(out.data(), frame->data() + begin, out.size());
  return true;
}

Status Content::read_run(const Extent& extent, Run& run) const {
  auto status =
      extent.codec == format::ExtentCodec::kRaw ? read_raw(extent, run) : read_zstd(extent, run);
  if (!status) {
    CounterCells::add(counters_.errors);
    // F-300: no byte of a failed frame may reach the caller, even if the caller ignores the error.
    std::fill(run.out.begin(), run.out.end(), std::uint8_t{0});
    return status;
  }
  hand_out(extent, run);
  return ok();
}

Status Content::read_raw(const Extent& extent, Run& run) const {
  auto& checksums = ReadScratch::get().checksums;
  auto& spans = ReadScratch::get().spans;
  checksums.resize(run.count);
  spans.clear();
  for (std::uint64_t i = 0; i < run.count; ++i) {
    spans.emplace_back(reinterpret_cast<std::uint8_t*>(&checksums[i]), kChecksumBytes);
    spans.push_back(run.destination(extent, run.first + i));
  }
  DGFS_CHECK(read_stored(extent, format::raw_frame_offset(run.first), spans, counters_));
  for (std::uint64_t i = 0; options_.checked && i < run.count; ++i) {
    const auto frame = run.first + i;
    if (format::frame_checksum(frame, spans[2 * i + 1]) != checksums[i]) {  // F-300
      return frame_error(3084, extent, frame, format::raw_frame_offset(frame), "checksum mismatch");
    }
  }
  return ok();
}

Status Content::read_zstd(const Extent& extent, Run& run) const {
  ContentMapPointer map;
  if (extent.has_seek_table()) {
    DGFS_TRY(cached, seek_table(extent));
    map = std::move(cached);
  }
  const auto* table = map ? &*map->seek_table : nullptr;
  const auto begin = extent.frame_begin(run.first, table);
  const auto end = extent.frame_begin(run.first + run.count, table);
  const auto stored =
      ReadScratch::first(ReadScratch::get().stored, static_cast<std::size_t>(end - begin));
  DGFS_CHECK(read_stored(extent, begin, {&stored, 1}, counters_));
  for (auto frame = run.first; frame < run.first + run.count; ++frame) {
    const auto at = extent.frame_begin(frame, table);
    const auto bytes =
        Bytes(stored).subspan(static_cast<std::size_t>(at - begin),
                              static_cast<std::size_t>(extent.frame_begin(frame + 1, table) - at));
    const auto opened = open_frame(extent, table, frame, bytes, run.destination(extent, frame));
    if (!opened) {  // F-300, F-301
      return frame_error(3085, extent, frame, at, opened.assume_error().text().c_str());
    }
  }
  return ok();
}

Status Content::open_frame(const Extent& extent, const format::SeekTable* table,
                           std::uint64_t frame, Bytes stored, MutableBytes out) const {
  if (table == nullptr) return format::open_frame(extent.codec, frame, stored, out, options_);
  return format::open_listed_frame(frame, stored, table->checksum(frame), out, options_);
}

// Copies the wanted parts of partial frames to `out`, and caches the frames of larger files.
void Content::hand_out(const Extent& extent, Run& run) const {
  for (auto& [frame, bytes, kept] : std::span(run.partial).first(run.partial_count)) {
    const auto begin = static_cast<std::size_t>((frame - run.first) * extent.frame_bytes());
    const auto from = begin < run.skip ? run.skip - begin : 0;
    const auto to = begin + from - run.skip;
    const auto length = std::min(bytes.size() - from, run.out.size() - to);
    std::memcpy(run.out.data() + to, bytes.data() + from, length);
    if (kept) caches_.frames.put(frame_key(caches_, extent, frame), {kept, kept->capacity()});
  }
}

Result<ContentMapPointer> Content::seek_table(const Extent& extent) const {
  const ContentKey key = {caches_.image,         ContentKey::Kind::kSeekTable, extent.codec,
                          extent.address.volume, extent.address.offset_bytes,  extent.stored_bytes,
                          extent.content_bytes};
  return caches_.maps.get(key, [&]() -> Result<ContentMapCache::Loaded> {
    Buffer stored(extent.seek_table_bytes());
    const MutableBytes whole(stored);
    DGFS_CHECK(read_stored(extent, extent.stored_bytes - stored.size(), {&whole, 1}, counters_));
    auto map = std::make_shared<ContentMap>();
    DGFS_TRY(
        table,
        // F-303, F-304
        placed_result(format::SeekTable::decode(stored, extent.content_bytes, extent.stored_bytes),
                      extent.volume->file->path(), "contents", extent.address.offset_bytes));
    map->seek_table = std::move(table);
    const auto bytes = map->memory_bytes();
    return ContentMapCache::Loaded{std::move(map), bytes};
  });
}

std::optional<Bytes> Content::open_stored(const Extent& extent, Bytes stored,
                                          Buffer& scratch) const {
  if (extent.fragment_offset) {
    if (!fragments_.open_stored(extent, stored, scratch)) return std::nullopt;
    return scratch;
  }
  if (extent.codec == format::ExtentCodec::kRaw && extent.frame_count() == 1) {
    const auto content = stored.subspan(kChecksumBytes);  // in place: most files are like this
    const bool sound = !options_.checked || format::frame_checksum(0, content) ==
                                                format::load<std::uint64_t>(stored, 0);  // F-300
    return sound ? std::optional(content) : std::nullopt;
  }
  std::optional<format::SeekTable> table;
  if (extent.has_seek_table()) {
    auto decoded = format::SeekTable::decode(stored.last(extent.seek_table_bytes()),
                                             extent.content_bytes, stored.size());
    if (!decoded) return std::nullopt;
    table = std::move(decoded).assume_value();
  }
  const auto* const listed = table ? &*table : nullptr;
  scratch.resize(static_cast<std::size_t>(extent.content_bytes));
  auto at = extent.frame_begin(0, listed);
  for (std::uint64_t frame = 0; frame < extent.frame_count(); ++frame) {
    const auto end = extent.frame_begin(frame + 1, listed);
    const auto bytes =
        stored.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at));
    const auto out = MutableBytes(scratch).subspan(
        static_cast<std::size_t>(frame) * extent.frame_bytes(), extent.frame_content_bytes(frame));
    if (!open_frame(extent, listed, frame, bytes, out)) return std::nullopt;
    at = end;
  }
  return scratch;
}

Status Content::check_neighbours(std::span<const Extent> extents) const {
  std::size_t stored_bytes = 0;
  for (const auto& extent : extents) stored_bytes += static_cast<std::size_t>(extent.stored_bytes);
  Buffer stored(stored_bytes);
  Buffer content(format::kZstdFrameBytes);
  const MutableBytes whole(stored);
  DGFS_CHECK(read_stored(extents.front(), 0, {&whole, 1}, counters_));
  std::size_t at = 0;
  for (const auto& extent : extents) {
    const auto bytes = Bytes(stored).subspan(at, static_cast<std::size_t>(extent.stored_bytes));
    const MutableBytes out(content.data(), extent.frame_content_bytes(0));
    const auto opened =
        format::open_frame(extent.codec, 0, bytes, out, {options_.dictionaries, true});
    if (!opened) return frame_error(3087, extent, 0, 0, opened.assume_error().text().c_str());
    at += bytes.size();
  }
  return ok();
}

Result<std::uint64_t> Content::locate(const Extent& extent, std::uint64_t at) const {
  const auto frame = at / extent.frame_bytes();
  const auto base = extent.address.offset_bytes;
  if (extent.codec == format::ExtentCodec::kRaw) {
    return base + format::raw_frame_offset(frame) + kChecksumBytes + at % extent.frame_bytes();
  }
  if (!extent.has_seek_table()) return base;
  DGFS_TRY(map, seek_table(extent));
  return base + map->seek_table->begin(frame);
}

}  // namespace dgfs::reader
