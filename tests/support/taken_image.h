// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TakenImage: takes an image of one volume apart. A test changes parts and puts them together
// again, with every checksum, length and place made to fit, as an attacker would.
#pragma once

#include <array>
#include <vector>

#include "base/bytes.h"
#include "format/header/section.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/page/directory.h"

namespace dgfs::test {

class TakenImage {
 public:
  /// Empty.
  TakenImage() = default;
  /// @param image  a sound image with a trailing index; others end the program
  explicit TakenImage(Bytes image);

  /// The image with one index, behind its data.
  [[nodiscard]] Buffer image() const;
  /// The index alone.
  [[nodiscard]] Buffer index() const;

  /// Recomputes a page's checksum, in the page and in its record.
  void reseal_page(std::size_t page);
  /// Takes the page directory from `records` again, after they were changed.
  void reseal_records();
  /// Decoded bodies of the sealed blocks of a section.
  [[nodiscard]] std::vector<Buffer>& bodies(format::SectionKind kind) {
    return bodies_[static_cast<std::size_t>(kind)];
  }
  /// Sections without sealed blocks: pages, side records.
  [[nodiscard]] Buffer& raw(format::SectionKind kind) {
    return raw_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] Buffer& pages() { return raw(format::SectionKind::kPages); }

  format::Superblock superblock;  ///< index() sets the places of sections
  format::VolumeHeader header;    ///< image() sets the places of index and end
  Buffer data;                    ///< bytes of the volume behind the header page
  std::vector<format::PageRecord> records;

 private:
  struct Sealed {
    Buffer body;
    Buffer block;
  };
  [[nodiscard]] const Buffer& sealed(format::SectionKind kind, std::size_t number) const;

  std::array<std::vector<Buffer>, format::kSectionKinds> bodies_;
  std::array<Buffer, format::kSectionKinds> raw_;
  // The blocks of the last index(): compressing a model takes longer than the rest of a test.
  mutable std::array<std::vector<Sealed>, format::kSectionKinds> sealed_;
};

/// Whether a section is made of sealed blocks.
[[nodiscard]] bool has_blocks(format::SectionKind kind);

/// Bodies of a sound section's sealed records. Only entries know the length of a record, so this
/// tries its checksum with every length: for small sections.
[[nodiscard]] std::vector<Buffer> record_bodies(format::SectionKind kind, Bytes section);

/// @{ Recomputes the checksum of the structure at `at`. A length beyond the bytes is cut.
void reseal_header_page(MutableBytes bytes, std::size_t at);
void reseal_block(MutableBytes bytes, std::size_t at, format::SectionKind kind);
/// @}

}  // namespace dgfs::test
