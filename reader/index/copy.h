// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IndexCopy: one copy of the index, alone in a file or behind the data of an image.
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

/// Reads regions of one index copy. Immutable, thread-safe. Does not check what it reads beyond
/// the superblock: sections and pages carry their own checksums.
class IndexCopy {
 public:
  /// Reads the superblock (one read) and checks that the whole index lies in the file.
  /// @param base_bytes  where in `file` the index begins
  /// Errors: kIo, kCorrupt, kUnsupported.
  [[nodiscard]] static Result<IndexCopy> open(std::shared_ptr<storage::File> file,
                                              std::uint64_t base_bytes);

  /// A copy whose superblock or end is lost, with the superblock that it must have had. What is
  /// gone fails where it is read.
  [[nodiscard]] static IndexCopy adopt(std::shared_ptr<storage::File> file,
                                       std::uint64_t base_bytes, format::Superblock superblock) {
    return {std::move(file), base_bytes, std::move(superblock)};
  }

  [[nodiscard]] const format::Superblock& superblock() const { return superblock_; }
  [[nodiscard]] std::uint64_t base_bytes() const { return base_bytes_; }
  [[nodiscard]] const std::string& path() const { return file_->path(); }
  /// The file that it is in.
  [[nodiscard]] const storage::File& file() const { return *file_; }
  /// Tells the device that these pages will be asked for in turn.
  void announce_pages(std::size_t first_page, std::size_t count) const;

  /// Where a section begins in the file.
  [[nodiscard]] std::uint64_t section_offset(format::SectionKind kind) const {
    return base_bytes_ + superblock_.section(kind).offset_bytes;
  }
  /// Where a page begins in the file.
  [[nodiscard]] std::uint64_t page_offset(std::size_t page) const {
    return section_offset(format::SectionKind::kPages) + page * format::kPageBytes;
  }
  /// Bytes [at, at + out.size()) of a section, which must have them. One read.
  [[nodiscard]] Status read_section(format::SectionKind kind, std::uint64_t at,
                                    MutableBytes out) const;
  /// Page `page` of the pages section into `out` (kPageBytes). One read.
  [[nodiscard]] Status read_page(std::size_t page, MutableBytes out) const;
  /// Checks that what belongs to nothing is zero (F-027); for verify. Errors: kIo, kCorrupt.
  [[nodiscard]] Status check_unused() const;
  /// A side record, still sealed. kCorrupt where it does not lie in its section. One read.
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
