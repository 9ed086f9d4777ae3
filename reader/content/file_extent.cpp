// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content/file_extent.h"

#include <fmt/format.h>

#include <utility>

#include "format/limits.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

constexpr const char* kContradicts = "the stored length contradicts the file's size";

Error bad_extent(std::uint16_t code, const Node& node, const char* what) {
  return Error(ErrorKind::kCorrupt, code, what)
      .in_section("contents")
      .at_offset(node.data.offset_bytes);
}

Status check_zstd_lengths(const Node& node, std::uint64_t content_bytes) {
  const auto frames = format::frame_count(format::ExtentCodec::kZstd, content_bytes);
  if (frames > format::kZstdFramesMax) {  // F-305
    return Error(ErrorKind::kLimit, 3088, "more than 2^20 frames")
        .in_section("contents")
        .at_offset(node.data.offset_bytes);
  }
  // F-304: a frame has at least one byte.
  const auto beside = format::has_seek_table(content_bytes) ? format::seek_table_bytes(frames)
                                                            : format::kChecksumBytes;
  if (node.stored_bytes < beside + frames ||
      (node.stored_bytes - beside) / frames > format::kZstdFrameStoredBytesMax) {
    return bad_extent(3082, node, kContradicts);
  }
  return ok();
}

Status check_lengths(const Node& node, std::uint64_t content_bytes) {
  switch (node.codec) {
    case format::ExtentCodec::kRaw:
      if (node.stored_bytes == format::raw_extent_bytes(content_bytes)) return ok();  // F-302
      return bad_extent(3080, node, kContradicts);
    case format::ExtentCodec::kZstd:
      return check_zstd_lengths(node, content_bytes);
  }
  return bad_extent(3081, node, "unknown extent codec");
}

}  // namespace

Result<Extent> extent_of(const Volumes& volumes, const Node& node, std::uint64_t content_bytes) {
  DGFS_TRY(volume, volumes.get(node.data.volume));
  auto lengths = check_lengths(node, content_bytes);
  if (!lengths) return std::move(lengths).assume_error().in_file(volume->file->path());
  if (node.data.offset_bytes < format::kPageBytes || node.stored_bytes > volume->data_end ||
      node.data.offset_bytes > volume->data_end - node.stored_bytes) {
    return bad_extent(3083, node, "lies outside the data of its volume (a file cut short?)")
        .in_file(volume->file->path());
  }
  const bool cached = content_bytes > format::kFrameBytes || node.sparse_map.present() ||
                      node.codec == format::ExtentCodec::kZstd;
  return Extent{volume,        node.data,  node.stored_bytes,
                content_bytes, node.codec, node.fragment_offset,
                cached};
}

Status read_stored(const Extent& extent, std::uint64_t offset, std::span<const MutableBytes> outs,
                   CounterCells& counters) {
  std::size_t wanted = 0;
  for (const auto& out : outs) wanted += out.size();
  const auto& file = *extent.volume->file;
  const auto place = extent.address.offset_bytes + offset;
  CounterCells::add(counters.data_reads);
  CounterCells::add(counters.data_read_bytes, wanted);
  auto read = file.read_at(place, outs);
  if (!read) return read_error(read.assume_error(), file.path(), "contents", place);
  if (read.assume_value() == wanted) return ok();
  return Error(ErrorKind::kCorrupt, 3086, "the file ends early")
      .in_file(file.path())
      .in_section("contents")
      .at_offset(place + read.assume_value());
}

Error frame_error(std::uint16_t code, const Extent& extent, std::uint64_t frame,
                  std::uint64_t stored_offset, const char* what) {
  const auto begin = frame * extent.frame_bytes();
  return Error(ErrorKind::kCorrupt, code,
               fmt::format("bytes {}-{}: {}", begin, begin + extent.frame_content_bytes(frame) - 1,
                           what))
      .in_file(extent.volume->file->path())
      .in_section("contents")
      .at_offset(extent.address.offset_bytes + stored_offset);
}

}  // namespace dgfs::reader
