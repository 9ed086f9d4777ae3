// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sections: the regions of an index after its superblock. Two containers serve all of them but
// the pages:
//
// - a sealed block: small header (checksum, stored and decoded length, zstd or raw), body. Used
//   by sections that are read whole, cut into blocks of about kSectionBlockBytes;
// - a sealed record: checksum and body, found by a SideRef with one read.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

/// What a section holds.
enum class SectionKind : std::uint32_t {
  kNone = 0,
  kPages = 1,            ///< kPageBytes each, in key order
  kPageDirectory = 2,    ///< sealed blocks, each one encode_page_block()
  kPageRoot = 3,         ///< sealed blocks: where the blocks of kPageDirectory stand
  kDirectoryTable = 4,   ///< sealed blocks
  kAttributeTables = 5,  ///< sealed blocks, one table each
  kModels = 6,           ///< sealed blocks, one model each: id u16, kind u8, bytes
  kInodeRuns = 7,        ///< sealed block
  kVolumes = 8,          ///< sealed block
  kLongTargets = 9,      ///< sealed records
  kXattrs = 10,          ///< sealed records
  kSparseMaps = 11,      ///< sealed records
  kDictionaries = 12,    ///< sealed blocks, one dictionary of contents each
  kDigests = 13,         ///< sealed records of kPageBytes each, digests of contents
  kDigestTable = 14,     ///< sealed blocks: which record of kDigests is whose
};
inline constexpr std::size_t kSectionKinds = 15;

/// "page directory", for messages.
[[nodiscard]] const char* section_name(SectionKind kind);

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
