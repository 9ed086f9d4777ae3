// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sections: the regions of an index after its superblock. Two containers serve all of them but
// the pages:
//
// - a sealed block: small header (checksum, stored and decoded length, zstd or raw), body. Used
//   by sections that are read whole, cut into blocks of about kSectionBlockBytes;
// - a sealed record: checksum and body, found by a SideRef with one read.
//
// kSections has a row for each kind of section; CONTRIBUTING.md says how to add one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

/// Numbers of the sections, as they stand on disk. kSections says the rest of each.
enum class SectionKind : std::uint32_t {
  kNone = 0,
  kPages = 1,            ///< in key order
  kPageDirectory = 2,    ///< a block is one encode_page_block()
  kPageRoot = 3,         ///< where the blocks of kPageDirectory stand
  kDirectoryTable = 4,   ///< how many children each directory has, and where
  kAttributeTables = 5,  ///< one table a block
  kModels = 6,           ///< one model a block: id u16, kind u8, bytes
  kInodeRuns = 7,        ///< one block
  kVolumes = 8,          ///< one block
  kLongTargets = 9,      ///< of symlinks
  kXattrs = 10,          ///< one set of them a record
  kSparseMaps = 11,      ///< of files with holes
  kDictionaries = 12,    ///< one dictionary of contents a block
  kDigests = 13,         ///< of contents
  kDigestTable = 14,     ///< which record of kDigests is whose
  kLinkNames = 15,       ///< of multiply linked objects, one link block a block
  kLinkTable = 16,       ///< which block of kLinkNames is whose
  kEnd,                  ///< no kind: one more than the largest, for the table of them
};

/// How the bytes of a section are cut into pieces that have a checksum each.
enum class SectionShape : std::uint8_t {
  kNone,         ///< of what is no section
  kPages,        ///< index pages, whose checksums stand in the page directory
  kBlocks,       ///< sealed blocks, back to back
  kRecords,      ///< sealed records; only the SideRefs of entries tell where each stands
  kRecordPages,  ///< sealed records of kPageBytes each, back to back
};

/// What is true of every section of a kind. A value.
struct SectionTraits {
  SectionKind kind;    ///< its number
  const char* name;    ///< for messages and reports
  SectionShape shape;  ///< how it is read, checked and salvaged
  bool required;       ///< whether an index without it is corrupt
};

/// One row for each kind, in order.
inline constexpr std::array kSections = {
    SectionTraits{SectionKind::kNone, "no section", SectionShape::kNone, false},
    SectionTraits{SectionKind::kPages, "pages", SectionShape::kPages, true},
    SectionTraits{SectionKind::kPageDirectory, "page directory", SectionShape::kBlocks, true},
    SectionTraits{SectionKind::kPageRoot, "page root", SectionShape::kBlocks, false},
    SectionTraits{SectionKind::kDirectoryTable, "directory table", SectionShape::kBlocks, true},
    SectionTraits{SectionKind::kAttributeTables, "attribute tables", SectionShape::kBlocks, true},
    SectionTraits{SectionKind::kModels, "models", SectionShape::kBlocks, false},
    SectionTraits{SectionKind::kInodeRuns, "inode runs", SectionShape::kBlocks, true},
    SectionTraits{SectionKind::kVolumes, "volumes", SectionShape::kBlocks, true},
    SectionTraits{SectionKind::kLongTargets, "long targets", SectionShape::kRecords, false},
    SectionTraits{SectionKind::kXattrs, "xattrs", SectionShape::kRecords, false},
    SectionTraits{SectionKind::kSparseMaps, "sparse maps", SectionShape::kRecords, false},
    SectionTraits{SectionKind::kDictionaries, "dictionaries", SectionShape::kBlocks, false},
    SectionTraits{SectionKind::kDigests, "digests", SectionShape::kRecordPages, false},
    SectionTraits{SectionKind::kDigestTable, "digest table", SectionShape::kBlocks, false},
    SectionTraits{SectionKind::kLinkNames, "link names", SectionShape::kBlocks, false},
    SectionTraits{SectionKind::kLinkTable, "link table", SectionShape::kBlocks, false},
};
/// One more than the largest kind.
inline constexpr std::size_t kSectionKinds = kSections.size();
static_assert(std::ranges::adjacent_find(kSections, std::ranges::greater_equal(),
                                         &SectionTraits::kind) == kSections.end() &&
              static_cast<std::size_t>(SectionKind::kEnd) == kSectionKinds);

/// "page directory"; "unknown section" of a number that no row has.
[[nodiscard]] constexpr const char* section_name(SectionKind kind) {
  const auto row = static_cast<std::size_t>(kind);
  return row < kSectionKinds ? kSections[row].name : "unknown section";
}
/// kNone of a number that no row has.
[[nodiscard]] constexpr SectionShape section_shape(SectionKind kind) {
  const auto row = static_cast<std::size_t>(kind);
  return row < kSectionKinds ? kSections[row].shape : SectionShape::kNone;
}

/// Names the section in the error of a failed result, if none is named yet.
template <class T>
[[nodiscard]] Result<T> in_section(SectionKind kind, Result<T> result) {
  if (!result) return std::move(result).assume_error().in_section(section_name(kind));
  return result;
}

inline constexpr std::size_t kSectionBlockBytes = 65536;  ///< body size at which a block is cut
inline constexpr std::size_t kSectionBlockBytesMax = 1 << 24;
inline constexpr std::size_t kSealedBlockHeaderBytes = 24;

/// Header of a sealed block. Offset | size. A value.
struct SealedBlockHeader {
  std::uint64_t checksum = 0;      ///<  0 | 8 | of bytes [8, header + stored), seeded with the kind
  std::uint32_t stored_bytes = 0;  ///<  8 | 4 | after the header
  std::uint32_t decoded_bytes = 0;  ///< 12 | 4 | at most kSectionBlockBytesMax
  std::uint32_t kind = 0;           ///< 16 | 4 | SectionKind it belongs to
  std::uint8_t codec = 0;           ///< 20 | 1 | 0 raw, 1 zstd
  std::uint8_t reserved[3] = {};    ///< 21 | 3 | zero
};

/// Appends a sealed block (compressed where that is smaller) to `out`. body.size() must not exceed
/// kSectionBlockBytesMax.
void seal_block(SectionKind kind, Bytes body, Buffer& out);

/// A sealed block that was opened. A value.
struct OpenedBlock {
  Buffer body;                     ///< decoded
  std::size_t consumed_bytes = 0;  ///< what the block took of the input
};
/// Splits the first sealed block off `bytes`.
/// Errors: kCorrupt, with the offset relative to the block's start.
[[nodiscard]] Result<OpenedBlock> open_block(SectionKind kind, Bytes bytes);

inline constexpr std::size_t kRecordChecksumBytes = 8;
/// Checksum of body, kind and place, followed by body: neither a record of another section nor
/// another record of the same one passes for it. A section copied as a whole keeps its records.
/// @param offset_bytes  from the start of the section, as in the SideRef that leads to the record
[[nodiscard]] Buffer seal_record(SectionKind kind, std::uint64_t offset_bytes, Bytes body);
/// Body of a sealed record, a view into `record`. Errors: kCorrupt.
[[nodiscard]] Result<Bytes> open_record(SectionKind kind, std::uint64_t offset_bytes, Bytes record);

}  // namespace dgfs::format
