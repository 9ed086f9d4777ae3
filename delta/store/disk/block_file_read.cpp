// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads blocks, and makes the errors for damaged ones.
#include <utility>

#include "delta/store/disk/block_file.h"
#include "format/checksum.h"

namespace dgfs::delta {

Error BlockFile::damaged(std::uint16_t code, std::uint64_t offset_bytes, const char* text) const {
  return at_place(Error(ErrorKind::kCorrupt, code, text), offset_bytes);
}

// Drops the offset inside the block: in a compressed block it means nothing.
Error BlockFile::at_place(const Error& error, std::uint64_t offset_bytes) const {
  return Error(error.kind(), error.code(), error.text())
      .in_file(file_->path())
      .in_section(section_)
      .at_offset(offset_bytes);
}

Status BlockFile::check_length(const Extent& block) const {
  if (block.length_bytes <= kBlockBytesMax && block.offset_bytes <= UINT64_MAX / 2) return ok();
  return damaged(7030, block.offset_bytes, "a block has an impossible place, and is not read");
}

Status BlockFile::read_into(const Extent& block, MutableBytes bytes) const {
  if (auto read = storage::read_exactly(*file_, block.offset_bytes, bytes); !read) {
    return std::move(read).error().in_section(section_);
  }
  return ok();
}

Status BlockFile::check(const Place& place, Bytes block) const {
  if (format::checksum64(block) == place.checksum) return ok();
  return damaged(7031, place.offset_bytes,
                 "a block is not the one that was written: checksum mismatch");
}

Result<Buffer> BlockFile::read(const Place& place) const {
  DGFS_CHECK(check_length(place.extent()));
  Buffer block(static_cast<std::size_t>(place.length_bytes));
  DGFS_CHECK(read_into(place.extent(), block));
  DGFS_CHECK(check(place, block));
  return block;
}

Result<std::string> BlockFile::read_unchecked(const Extent& bytes, bool* has_waited) const {
  DGFS_CHECK(check_length(bytes));
  std::string value(static_cast<std::size_t>(bytes.length_bytes), '\0');
  const auto read = as_mutable_bytes(value);
  if (has_waited != nullptr) {
    *has_waited = file_->read_at_hand(bytes.offset_bytes, read) < read.size();
    if (!*has_waited) return value;
  }
  DGFS_CHECK(read_into(bytes, read));
  return value;
}

}  // namespace dgfs::delta
