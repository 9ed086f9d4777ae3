// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/copy.h"

#include <fmt/format.h>

#include <array>

#include "format/limits.h"
#include "reader/placed_error.h"
#include "reader/unused_bytes.h"

namespace dgfs::reader {
namespace {

Status read_region(const storage::File& file, const char* section, std::uint64_t offset_bytes,
                   MutableBytes out) {
  return read_result(storage::read_exactly(file, offset_bytes, out), file.path(), section,
                     offset_bytes);
}

}  // namespace

Result<IndexCopy> IndexCopy::open(std::shared_ptr<storage::File> file, std::uint64_t base_bytes) {
  std::array<std::uint8_t, format::kPageBytes> page{};
  DGFS_CHECK(read_region(*file, "superblock", base_bytes, page));
  DGFS_TRY(superblock,
           placed_result(format::decode_superblock(page), file->path(), "superblock", base_bytes));
  DGFS_TRY(file_bytes, file->size());
  if (base_bytes > file_bytes || superblock.index_bytes > file_bytes - base_bytes) {  // F-020
    return Error(ErrorKind::kCorrupt, 3001,
                 fmt::format("the file is cut short: the index ends at byte {} of {}",
                             base_bytes + superblock.index_bytes, file_bytes))
        .in_file(file->path())
        .in_section("superblock")
        .at_offset(base_bytes);
  }
  return IndexCopy(std::move(file), base_bytes, std::move(superblock));
}

Status IndexCopy::read_section(format::SectionKind kind, std::uint64_t at, MutableBytes out) const {
  return read_region(*file_, format::section_name(kind), section_offset(kind) + at, out);
}

Status IndexCopy::read_page(std::size_t page, MutableBytes out) const {
  return read_region(*file_, "pages", page_offset(page), out);
}

void IndexCopy::announce_pages(std::size_t first_page, std::size_t count) const {
  file_->advise(storage::Access::kWillNeed, page_offset(first_page), count * format::kPageBytes);
}

Status IndexCopy::check_unused() const {
  return check_unused_of_index(*file_, base_bytes_, superblock_);
}

Result<Buffer> IndexCopy::read_record(format::SectionKind kind, const format::SideRef& ref) const {
  const auto length = superblock_.section(kind).length_bytes;
  if (ref.length_bytes > length || ref.offset_bytes > length - ref.length_bytes) {
    return Error(ErrorKind::kCorrupt, 3002, "a record lies outside its section")
        .in_file(path())
        .in_section(format::section_name(kind))
        .at_offset(section_offset(kind) + ref.offset_bytes);
  }
  Buffer bytes(ref.length_bytes);
  DGFS_CHECK(read_region(*file_, format::section_name(kind),
                         section_offset(kind) + ref.offset_bytes, bytes));
  return bytes;
}

}  // namespace dgfs::reader
