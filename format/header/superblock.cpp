// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/superblock.h"

#include <algorithm>
#include <vector>

#include "format/coding.h"
#include "format/header/header_page.h"

namespace dgfs::format {
namespace {

constexpr std::string_view kSuperblockMagic = "DGFSIDX1";
constexpr const char* kSuperblockSection = "superblock";
constexpr std::size_t kRowBytes = 24;
constexpr std::size_t kSectionCountOffset = 144;
constexpr std::size_t kSuperblockFieldBytes = 152;  ///< end of the fields; the section table begins

// Place of each 8-byte field, in one list for both directions.
struct Field {
  std::size_t offset;
  std::uint64_t Superblock::*member;
};
constexpr Field kFields[] = {
    {56, &Superblock::index_bytes},    {64, &Superblock::namespace_entries},
    {72, &Superblock::link_entries},   {80, &Superblock::next_inode},
    {96, &Superblock::regular_files},  {104, &Superblock::directories},
    {112, &Superblock::symlinks},      {120, &Superblock::other_files},
    {128, &Superblock::content_bytes}, {136, &Superblock::stored_bytes},
};
constexpr std::size_t kIndexBytesOffset = 56;
constexpr std::size_t kEntriesOffset = 64;
constexpr std::size_t kNextInodeOffset = 80;
constexpr std::size_t kCreatedOffset = 88;

Error corrupt_superblock(std::uint16_t code, std::size_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text))
      .in_section(kSuperblockSection)
      .at_offset(offset);
}

/// A row of the section table as stored; this program may not know its kind.
struct Row {
  std::uint32_t kind = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
  std::size_t at = 0;  ///< offset of the row in the page
};

std::string row_name(const Row& row) {
  if (row.kind >= kSectionKinds) return "section " + std::to_string(row.kind);
  return std::string("section '") + section_name(static_cast<SectionKind>(row.kind)) + "'";
}

// F-022
Status check_place(const Row& row, std::uint64_t index_bytes) {
  const bool is_pages = section_shape(static_cast<SectionKind>(row.kind)) == SectionShape::kPages;
  const std::uint64_t unit = is_pages ? kPageBytes : 8;
  if (row.offset_bytes % unit != 0 || (is_pages && row.length_bytes % unit != 0)) {
    return corrupt_superblock(2561, row.at + 8, row_name(row) + " is not aligned");
  }
  if (row.length_bytes == 0)
    return corrupt_superblock(2562, row.at + 16, row_name(row) + " is empty");
  if (row.offset_bytes < kPageBytes || row.offset_bytes > index_bytes ||
      row.length_bytes > index_bytes - row.offset_bytes) {
    return corrupt_superblock(2563, row.at + 8, row_name(row) + " lies outside the index");
  }
  return ok();
}

// F-023
Status check_overlap(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.offset_bytes < b.offset_bytes; });
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].offset_bytes - rows[i - 1].offset_bytes < rows[i - 1].length_bytes) {
      return corrupt_superblock(2564, rows[i].at + 8,
                                row_name(rows[i]) + " overlaps " + row_name(rows[i - 1]));
    }
  }
  return ok();
}

Result<Row> load_row(Bytes page, std::size_t at, std::uint32_t previous_kind) {
  const Row row{load<std::uint32_t>(page, at), load<std::uint64_t>(page, at + 8),
                load<std::uint64_t>(page, at + 16), at};
  if (row.kind <= previous_kind)
    return corrupt_superblock(2565, at, "section kinds do not rise");  // F-021
  if (load<std::uint32_t>(page, at + 4) != 0) {
    return corrupt_superblock(2566, at + 4, "reserved bytes are not zero");
  }
  return row;
}

Status load_sections(Bytes page, std::size_t begin, Superblock& superblock) {
  const std::size_t count = load<std::uint32_t>(page, kSectionCountOffset);
  if (count > (kHeaderChecksumOffset - begin) / kRowBytes) {  // F-021
    return corrupt_superblock(2567, kSectionCountOffset, "section table does not fit the page");
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    DGFS_TRY(row, load_row(page, begin + i * kRowBytes, rows.empty() ? 0 : rows.back().kind));
    DGFS_CHECK(check_place(row, superblock.index_bytes));
    rows.push_back(row);
    // A kind from a later minor version is checked like the others, then not used.
    if (row.kind >= kSectionKinds) continue;
    superblock.sections[row.kind] = {static_cast<SectionKind>(row.kind), row.offset_bytes,
                                     row.length_bytes};
  }
  DGFS_CHECK(check_overlap(rows));
  return check_header_rest(kSuperblockSection, begin + count * kRowBytes, page);
}

// F-024
Status check_required(const Superblock& superblock) {
  for (const auto& section : kSections) {
    if (section.required && superblock.section(section.kind).length_bytes == 0) {
      return corrupt_superblock(2568, kSectionCountOffset,
                                std::string("section '") + section.name + "' is missing");
    }
  }
  return ok();
}

// F-028. Without the bit, a program may skip the section, and would then lose data that others see.
Status check_features(const Superblock& superblock) {
  const auto denied = (superblock.compat & feature::kCompatXattrs) == 0;
  if (denied && superblock.section(SectionKind::kXattrs).length_bytes != 0) {
    return corrupt_superblock(2572, kHeaderCompatOffset,
                              "section 'xattrs' without the feature 'xattrs'");
  }
  return ok();
}

// F-025, F-026. Later code allocates memory by these counts, so the length of the pages bounds
// them.
Status check_counts(const Superblock& superblock) {
  const auto pages = superblock.section(SectionKind::kPages).length_bytes / kPageBytes;
  const auto entries_max = pages * kPageEntriesMax;
  const auto names = superblock.namespace_entries;
  if (names == 0 || names > entries_max || superblock.link_entries > entries_max - names ||
      names + superblock.link_entries < pages) {
    return corrupt_superblock(2569, kEntriesOffset, "entry counts contradict the number of pages");
  }
  // With split numbers, the inode runs tell which numbers are taken (F-064). 1 is that of the root.
  const bool is_split = (superblock.incompat & feature::kIncompatSplitInodes) != 0;
  if (superblock.next_inode <= (is_split ? 1 : names)) {
    return corrupt_superblock(2570, kNextInodeOffset, "next inode number is already taken");
  }
  return ok();
}

// F-020
Status check_index_bytes(std::uint64_t index_bytes) {
  if (index_bytes % kPageBytes == 0 && index_bytes >= 2 * kPageBytes &&
      index_bytes <= kFileBytesMax) {
    return ok();
  }
  return corrupt_superblock(
      2571, kIndexBytesOffset,
      "index length " + std::to_string(index_bytes) + " is not a whole number of pages");
}

void load_fields(Bytes page, const HeaderCommon& common, Superblock& superblock) {
  superblock.version_major = common.version_major;
  superblock.version_minor = common.version_minor;
  superblock.compat = common.compat;
  superblock.ro_compat = common.ro_compat;
  superblock.incompat = common.incompat;
  superblock.uuid = common.uuid;
  superblock.created_seconds = load<std::int64_t>(page, kCreatedOffset);
  for (const auto& field : kFields) {
    superblock.*field.member = load<std::uint64_t>(page, field.offset);
  }
}

std::uint32_t store_sections(const Superblock& superblock, MutableBytes page) {
  std::uint32_t count = 0;
  for (std::uint32_t kind = 1; kind < kSectionKinds; ++kind) {
    const auto& place = superblock.sections[kind];
    if (place.length_bytes == 0) continue;
    const auto at = kSuperblockFieldBytes + count++ * kRowBytes;
    store(page, at, kind);
    store(page, at + 8, place.offset_bytes);
    store(page, at + 16, place.length_bytes);
  }
  return count;
}

}  // namespace

static_assert(kSuperblockFieldBytes + kSectionKinds * kRowBytes <= kHeaderChecksumOffset);

Buffer encode_superblock(const Superblock& superblock) {
  Buffer page(kPageBytes);
  for (const auto& field : kFields) store(page, field.offset, superblock.*field.member);
  store(page, kCreatedOffset, superblock.created_seconds);
  store(page, kSectionCountOffset, store_sections(superblock, page));
  seal_header_page(kSuperblockMagic,
                   {superblock.version_major, superblock.version_minor, kSuperblockFieldBytes,
                    superblock.compat, superblock.ro_compat, superblock.incompat, superblock.uuid},
                   page);
  return page;
}

Result<Superblock> decode_superblock(Bytes page) {
  DGFS_TRY(common,
           open_header_page(kSuperblockMagic, kSuperblockSection, kSuperblockFieldBytes, page));
  Superblock superblock;
  load_fields(page, common, superblock);
  if (load<std::uint32_t>(page, kSectionCountOffset + 4) != 0) {
    return corrupt_superblock(2560, kSectionCountOffset + 4, "reserved bytes are not zero");
  }
  DGFS_CHECK(check_index_bytes(superblock.index_bytes));
  DGFS_CHECK(load_sections(page, common.header_bytes, superblock));
  DGFS_CHECK(check_required(superblock));
  DGFS_CHECK(check_features(superblock));
  DGFS_CHECK(check_counts(superblock));
  return superblock;
}

bool is_superblock(Bytes bytes) {
  return as_text(bytes).substr(0, kSuperblockMagic.size()) == kSuperblockMagic;
}

}  // namespace dgfs::format
