// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sections: the regions of an index after its superblock. All sections but the pages consist of one
// of two containers:
//
// - a sealed block: a small header (checksum, stored and decoded length, zstd or raw) and a body.
//   For sections that are read whole, cut into blocks of about kSectionBlockBytes;
// - a sealed record: checksum and body, found through a SideRef with one read.
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

/// Numbers of the sections, as stored on disk. kSections has their other properties.
enum class SectionKind : std::uint32_t {
  kNone = 0,
  kPages = 1,            ///< in key order
  kPageDirectory = 2,    ///< each block is one encode_page_block()
  kPageRoot = 3,         ///< where the blocks of kPageDirectory are
  kDirectoryTable = 4,   ///< number and place of the children of each directory
  kAttributeTables = 5,  ///< one table per block
  kModels = 6,           ///< one model per block: id u16, kind u8, bytes
  kInodeRuns = 7,        ///< one block, or several with feature::kIncompatSplitInodes
  kVolumes = 8,          ///< one block
  kLongTargets = 9,      ///< targets of symlinks
  kXattrs = 10,          ///< one set per record
  kSparseMaps = 11,      ///< maps of files with holes
  kDictionaries = 12,    ///< one dictionary of contents per block
  kDigests = 13,         ///< digests of contents
  kDigestTable = 14,     ///< which record of kDigests belongs to which files
  kLinkNames = 15,       ///< names of multiply linked objects, one link block per block
  kLinkTable = 16,       ///< which block of kLinkNames belongs to which objects
  kVolumeOrigins = 17,   ///< one block: volumes of other images
  kState = 18,           ///< one block: id of the state of a delta that the image equals
  kEnd,                  ///< not a kind: one more than the largest
};

/// How the bytes of a section are divided into pieces with a checksum each.
enum class SectionShape : std::uint8_t {
  kNone,         ///< not a section
  kPages,        ///< index pages; their checksums are in the page directory
  kBlocks,       ///< sealed blocks, back to back
  kRecords,      ///< sealed records; only the SideRefs of entries tell where each one is
  kRecordPages,  ///< sealed records of kPageBytes each, back to back
};

/// Properties of all sections of a kind. A value.
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
    SectionTraits{SectionKind::kVolumeOrigins, "volume origins", SectionShape::kBlocks, false},
    SectionTraits{SectionKind::kState, "state", SectionShape::kBlocks, false},
};
/// One more than the largest kind.
inline constexpr std::size_t kSectionKinds = kSections.size();
static_assert(std::ranges::adjacent_find(kSections, std::ranges::greater_equal(),
                                         &SectionTraits::kind) == kSections.end() &&
              static_cast<std::size_t>(SectionKind::kEnd) == kSectionKinds);

/// "page directory"; "unknown section" for a number without a row.
[[nodiscard]] constexpr const char* section_name(SectionKind kind) {
  const auto row = static_cast<std::size_t>(kind);
  return row < kSectionKinds ? kSections[row].name : "unknown section";
}
/// kNone for a number without a row.
[[nodiscard]] constexpr SectionShape section_shape(SectionKind kind) {
  const auto row = static_cast<std::size_t>(kind);
  return row < kSectionKinds ? kSections[row].shape : SectionShape::kNone;
}

/// If `result` is an error that names no section yet, names this one.
template <class T>
[[nodiscard]] Result<T> in_section(SectionKind kind, Result<T> result) {
  if (!result) return std::move(result).assume_error().in_section(section_name(kind));
  return result;
}

inline constexpr std::size_t kSectionBlockBytes = 65536;  ///< body size at which a block is cut
inline constexpr std::size_t kSectionBlockBytesMax = 1 << 24;
inline constexpr std::size_t kSealedBlockHeaderBytes = 24;

/// Header of a sealed block; the columns are offset, size and meaning. A value.
struct SealedBlockHeader {
  std::uint64_t checksum = 0;      ///<  0 | 8 | of bytes [8, header + stored), seeded with the kind
  std::uint32_t stored_bytes = 0;  ///<  8 | 4 | length of the body as stored
  std::uint32_t decoded_bytes = 0;  ///< 12 | 4 | at most kSectionBlockBytesMax
  std::uint32_t kind = 0;           ///< 16 | 4 | SectionKind of its section
  std::uint8_t codec = 0;           ///< 20 | 1 | 0 raw, 1 zstd
  std::uint8_t reserved[3] = {};    ///< 21 | 3 | zero
};

/// Appends a sealed block to `out`, compressed if that is smaller. body.size() must not exceed
/// kSectionBlockBytesMax.
void seal_block(SectionKind kind, Bytes body, Buffer& out);

/// A sealed block that was opened. A value.
struct OpenedBlock {
  Buffer body;                     ///< decoded
  std::size_t consumed_bytes = 0;  ///< length of the block in the input
};
/// Opens the first sealed block of `bytes`. Errors: kCorrupt, with the offset relative to the
/// block's start.
[[nodiscard]] Result<OpenedBlock> open_block(SectionKind kind, Bytes bytes);

inline constexpr std::size_t kRecordChecksumBytes = 8;
/// Makes a sealed record: a checksum of body, kind and place, then the body. So no record of
/// another section, nor another record of the same section, passes for it. A section copied as a
/// whole keeps its records.
/// @param offset_bytes  from the start of the section, as in the SideRef that leads to the record
[[nodiscard]] Buffer seal_record(SectionKind kind, std::uint64_t offset_bytes, Bytes body);
/// The body of a sealed record, as a view into `record`. Errors: kCorrupt.
[[nodiscard]] Result<Bytes> open_record(SectionKind kind, std::uint64_t offset_bytes, Bytes record);

}  // namespace dgfs::format
