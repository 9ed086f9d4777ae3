// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/disk/block_file.h"

#include "format/checksum.h"

namespace dgfs::delta {

Extent BlockFile::extent_of(const Place& place) {
  return {place.offset_bytes, (place.length_bytes + kBlockAlignmentBytes - 1) /
                                  kBlockAlignmentBytes * kBlockAlignmentBytes};
}

Error BlockFile::damaged(std::uint16_t code, const Place& place, const char* text) const {
  return Error(ErrorKind::kCorrupt, code, text)
      .in_file(file_->path())
      .in_section("blocks")
      .at_offset(place.offset_bytes);
}

Result<Place> BlockFile::write(Bytes block) {
  Place place{0, block.size(), format::checksum64(block)};
  const Extent extent = space_.take(extent_of(place).length_bytes);
  place.offset_bytes = extent.offset_bytes;
  if (auto written = file_->write_at(extent.offset_bytes, block); !written) {
    space_.give_back(extent);
    return std::move(written).error();
  }
  written_bytes_ += block.size();
  return place;
}

Result<Buffer> BlockFile::read(const Place& place) const {
  if (place.length_bytes > kBlockBytesMax) return damaged(7030, place, "a block is too long");
  Buffer block(static_cast<std::size_t>(place.length_bytes));
  DGFS_CHECK(storage::read_exactly(*file_, place.offset_bytes, block));
  if (format::checksum64(block) != place.checksum) {
    return damaged(7031, place, "a block is not the one that was written: checksum mismatch");
  }
  return block;
}

Status BlockFile::mark(const Place& place) {
  if (place.length_bytes == 0 || place.length_bytes > kBlockBytesMax ||
      place.offset_bytes % kBlockAlignmentBytes != 0 || place.offset_bytes > UINT64_MAX / 2) {
    return damaged(7032, place, "a block has an impossible place");
  }
  if (!space_.mark(extent_of(place))) {
    return damaged(7033, place, "a block is referred to twice, or lies over another");
  }
  return ok();
}

}  // namespace dgfs::delta
