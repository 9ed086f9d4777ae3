// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/unused_bytes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "format/limits.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

constexpr std::size_t kUnusedChunkBytes = std::size_t{64} << 10;
constexpr const char* kSection = "unused bytes";

Status check_zero(const storage::File& file, std::uint64_t begin, std::uint64_t end) {
  Buffer buffer(static_cast<std::size_t>(
      std::min<std::uint64_t>(kUnusedChunkBytes, begin < end ? end - begin : 0)));
  while (begin < end) {
    const auto length = std::min<std::uint64_t>(buffer.size(), end - begin);
    const auto chunk = MutableBytes(buffer).first(static_cast<std::size_t>(length));
    DGFS_CHECK(
        read_result(storage::read_exactly(file, begin, chunk), file.path(), kSection, begin));
    const auto found =
        std::find_if(chunk.begin(), chunk.end(), [](auto byte) { return byte != 0; });
    if (found != chunk.end()) {
      return Error(ErrorKind::kCorrupt, 3150, "not zero")
          .in_file(file.path())
          .in_section(kSection)
          .at_offset(begin + static_cast<std::uint64_t>(found - chunk.begin()));
    }
    begin += length;
  }
  return ok();
}

}  // namespace

Status check_unused_of_index(const storage::File& file, std::uint64_t base_bytes,
                             const format::Superblock& superblock) {
  // A newer version may have a section there that this program does not know.
  if (superblock.version_minor > format::kVersionMinor) return ok();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> used = {{0, format::kPageBytes}};
  for (const auto& place : superblock.sections) {
    if (place.length_bytes == 0) continue;
    used.emplace_back(place.offset_bytes, place.offset_bytes + place.length_bytes);
  }
  used.emplace_back(superblock.index_bytes, superblock.index_bytes);
  std::sort(used.begin(), used.end());
  for (std::size_t i = 1; i < used.size(); ++i) {
    DGFS_CHECK(check_zero(file, base_bytes + used[i - 1].second, base_bytes + used[i].first));
  }
  return ok();
}

Status check_unused_between(const storage::File& file, std::uint64_t begin_bytes,
                            std::uint64_t end_bytes) {
  return check_zero(file, begin_bytes, end_bytes);
}

Status check_unused_of_volume(const storage::File& file, const format::VolumeHeader& header) {
  const auto end = header.file_bytes - format::kPageBytes;
  const bool has_index = header.index_bytes != 0;
  DGFS_CHECK(check_zero(file, header.data_end, has_index ? header.index_offset : end));
  return has_index ? check_zero(file, header.index_offset + header.index_bytes, end) : Status(ok());
}

}  // namespace dgfs::reader
