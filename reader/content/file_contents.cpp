// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content/file_contents.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::reader {
namespace {

// Fails for an offset at which lseek(2) gives ENXIO.
Status check_seek(const Node& node, std::uint64_t offset) {
  DGFS_CHECK(check_regular(node));
  if (offset < node.size_bytes) return ok();
  constexpr int kNoSuchPlace = 6;  // ENXIO of Linux
  return Error(ErrorKind::kInvalidArgument, 3122, "beyond the end of the file")
      .with_errno(kNoSuchPlace);
}

}  // namespace

Status check_regular(const Node& node) {
  if (format::is_regular(node.mode)) return ok();
  if (format::is_directory(node.mode)) {
    return Error(ErrorKind::kIsDirectory, 3120, "a directory");
  }
  return Error(ErrorKind::kInvalidArgument, 3121, "not a regular file");
}

Result<ContentMapPointer> FileContents::segments(const Node& node) const {
  const ContentKey key = {caches_.image,
                          ContentKey::Kind::kSegments,
                          format::ExtentCodec::kRaw,
                          0,
                          node.sparse_map.offset_bytes,
                          node.sparse_map.length_bytes,
                          node.size_bytes};
  return caches_.maps.get(key, [&]() -> Result<ContentMapCache::Loaded> {
    auto map = std::make_shared<ContentMap>();
    DGFS_TRY(loaded, side_records_.sparse_map(node));
    map->segments = std::move(loaded);
    const auto bytes = map->memory_bytes();
    return ContentMapCache::Loaded{std::move(map), bytes};
  });
}

Result<std::uint64_t> FileContents::content_bytes(const Node& node) const {
  if (!node.sparse_map.present()) return node.size_bytes;
  DGFS_TRY(map, segments(node));
  return map->segments.content_bytes();
}

Result<std::size_t> FileContents::read(const Node& node, std::uint64_t offset,
                                       MutableBytes out) const {
  DGFS_CHECK(check_regular(node));
  if (offset >= node.size_bytes || out.empty()) return std::size_t{0};
  const auto length =
      static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), node.size_bytes - offset));
  if (node.sparse_map.present()) {
    DGFS_CHECK(read_sparse(node, offset, out.first(length)));
    return length;
  }
  DGFS_TRY(extent, content_.extent_of(node, node.size_bytes));
  DGFS_CHECK(content_.read(extent, offset, out.first(length)));
  return length;
}

Status FileContents::read_sparse(const Node& node, std::uint64_t offset, MutableBytes out) const {
  DGFS_TRY(map, segments(node));
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  const auto& segments = map->segments.segments();
  const auto end = offset + out.size();
  auto next = map->segments.find(offset);
  if (next == segments.size() || segments[next].begin >= end) return ok();
  DGFS_TRY(extent, content_.extent_of(node, map->segments.content_bytes()));
  for (; next < segments.size() && segments[next].begin < end; ++next) {
    const auto& segment = segments[next];
    const auto from = std::max(offset, segment.begin);
    const auto to = std::min(end, segment.begin + segment.length);
    DGFS_CHECK(content_.read(
        extent, segment.content + (from - segment.begin),
        out.subspan(static_cast<std::size_t>(from - offset), static_cast<std::size_t>(to - from))));
  }
  return ok();
}

void FileContents::announce_read(const Node& node, std::uint64_t bytes_max) const {
  if (!format::is_regular(node.mode) || node.size_bytes == 0 || node.sparse_map.present()) return;
  const auto extent = content_.extent_of(node, node.size_bytes);
  if (extent) content_.announce(extent.assume_value(), bytes_max);
}

void FileContents::advise(const Node& node, storage::Access access, std::uint64_t offset,
                          std::uint64_t bytes) const {
  if (!format::is_regular(node.mode) || offset >= node.size_bytes || bytes == 0) return;
  if (node.sparse_map.present() || node.codec != format::ExtentCodec::kRaw) return;
  const auto extent = content_.extent_of(node, node.size_bytes);
  const auto length = std::min(bytes, node.size_bytes - offset);
  if (extent) content_.advise(extent.assume_value(), access, offset, length);
}

bool FileContents::are_neighbours(const Node* before, const Node& node) {
  if (!format::is_regular(node.mode) || node.sparse_map.present() || node.fragment_offset ||
      node.size_bytes == 0 || node.size_bytes > format::frame_bytes(node.codec)) {
    return false;
  }
  return before == nullptr ||
         (node.data.volume == before->data.volume &&
          node.data.offset_bytes - before->data.offset_bytes == before->stored_bytes);
}

Status FileContents::verify_neighbours(std::span<const Node* const> nodes) const {
  std::vector<Extent> extents;
  const Node* before = nullptr;
  for (const auto* node : nodes) {
    if (!are_neighbours(before, *node)) {
      return Error(ErrorKind::kInvalidArgument, 3124, "not neighbours");
    }
    DGFS_TRY(extent, content_.extent_of(*node, node->size_bytes));
    extents.push_back(extent);
    before = node;
  }
  return extents.empty() ? Status(ok()) : content_.check_neighbours(extents);
}

Result<Place> FileContents::locate(const Node& node, std::uint64_t offset) const {
  DGFS_CHECK(check_seek(node, offset));
  auto at = offset;
  if (node.sparse_map.present()) {
    DGFS_TRY(map, segments(node));
    const auto index = map->segments.find(offset);
    const auto& segments = map->segments.segments();
    if (index == segments.size() || segments[index].begin > offset) {
      return Error(ErrorKind::kNotFound, 3123, "a hole lies nowhere on the device");
    }
    at = segments[index].content + (offset - segments[index].begin);
  }
  DGFS_TRY(content_length, content_bytes(node));
  DGFS_TRY(extent, content_.extent_of(node, content_length));
  DGFS_TRY(place, content_.locate(extent, at));
  return Place{extent.volume->file->path(), place};
}

Result<std::optional<format::SparseMap>> FileContents::sparse_map(const Node& node) const {
  DGFS_CHECK(check_regular(node));
  if (!node.sparse_map.present()) return std::optional<format::SparseMap>();
  DGFS_TRY(map, segments(node));
  return std::optional(map->segments);
}

Result<std::uint64_t> FileContents::next_data(const Node& node, std::uint64_t offset) const {
  DGFS_CHECK(check_seek(node, offset));
  if (!node.sparse_map.present()) return offset;
  DGFS_TRY(map, segments(node));
  const auto index = map->segments.find(offset);
  const auto& segments = map->segments.segments();
  if (index == segments.size()) return check_seek(node, node.size_bytes).assume_error();
  return std::max(offset, segments[index].begin);
}

Result<std::uint64_t> FileContents::next_hole(const Node& node, std::uint64_t offset) const {
  DGFS_CHECK(check_seek(node, offset));
  if (!node.sparse_map.present()) return node.size_bytes;
  DGFS_TRY(map, segments(node));
  const auto index = map->segments.find(offset);
  const auto& segments = map->segments.segments();
  if (index == segments.size() || segments[index].begin > offset) return offset;
  return segments[index].begin + segments[index].length;  // segments do not touch
}

}  // namespace dgfs::reader
