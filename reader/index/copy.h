// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IndexCopy: one copy of the index, in a file of its own or behind the data of an image.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/header/superblock.h"
#include "format/limits.h"
#include "storage/file.h"

namespace dgfs::reader {

/// Reads regions of one index copy. Immutable, thread-safe. Checks only the superblock: sections
/// and pages carry their own checksums.
class IndexCopy {
 public:
  /// Reads the superblock (one read) and checks that the whole index lies in the file.
  /// @param base_bytes  offset of the index in `file`
  /// Errors: kIo, kCorrupt, kUnsupported.
  [[nodiscard]] static Result<IndexCopy> open(std::shared_ptr<storage::File> file,
                                              std::uint64_t base_bytes);

  /// A copy with a damaged superblock or a lost end; `superblock` is the right one. Reads of lost
  /// regions fail.
  [[nodiscard]] static IndexCopy adopt(std::shared_ptr<storage::File> file,
                                       std::uint64_t base_bytes, format::Superblock superblock) {
    return {std::move(file), base_bytes, std::move(superblock)};
  }

  [[nodiscard]] const format::Superblock& superblock() const { return superblock_; }
  [[nodiscard]] std::uint64_t base_bytes() const { return base_bytes_; }
  [[nodiscard]] const std::string& path() const { return file_->path(); }
  /// The file with the copy.
  [[nodiscard]] const storage::File& file() const { return *file_; }
  /// Announces reads of these pages, in order, to the kernel.
  void announce_pages(std::size_t first_page, std::size_t count) const;

  /// Where a section begins in the file.
  [[nodiscard]] std::uint64_t section_offset(format::SectionKind kind) const {
    return base_bytes_ + superblock_.section(kind).offset_bytes;
  }
  /// Where a page begins in the file.
  [[nodiscard]] std::uint64_t page_offset(std::size_t page) const {
    return section_offset(format::SectionKind::kPages) + page * format::kPageBytes;
  }
  /// Reads bytes [at, at + out.size()) of a section, which must have them. One read.
  [[nodiscard]] Status read_section(format::SectionKind kind, std::uint64_t at,
                                    MutableBytes out) const;
  /// Reads page `page` of the pages section into `out` (kPageBytes). One read.
  [[nodiscard]] Status read_page(std::size_t page, MutableBytes out) const;
  /// Checks that unused bytes are zero (F-027); for verify. Errors: kIo, kCorrupt.
  [[nodiscard]] Status check_unused() const;
  /// Reads a side record, still sealed. One read. kCorrupt: it lies outside its section.
  [[nodiscard]] Result<Buffer> read_record(format::SectionKind kind,
                                           const format::SideRef& ref) const;

 private:
  IndexCopy(std::shared_ptr<storage::File> file, std::uint64_t base_bytes,
            format::Superblock superblock)
      : file_(std::move(file)), base_bytes_(base_bytes), superblock_(std::move(superblock)) {}

  std::shared_ptr<storage::File> file_;
  std::uint64_t base_bytes_;
  format::Superblock superblock_;
};

}  // namespace dgfs::reader
