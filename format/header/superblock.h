// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The superblock: the first page of an index, both of a sidecar and of an index that trails an
// image. It names every section; everything else of the index is found from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/header/feature.h"
#include "format/header/section.h"
#include "format/header/uuid.h"
#include "format/limits.h"

namespace dgfs::format {

/// The place of a section. A value.
struct SectionPlace {
  SectionKind kind = SectionKind::kNone;  ///< kind of the section
  std::uint64_t offset_bytes = 0;  ///< from the start of the index; multiple of 8 (pages: 4096)
  std::uint64_t length_bytes = 0;  ///< 0 = the section is absent
  friend bool operator==(const SectionPlace&, const SectionPlace&) = default;
};

/// Contents of the first page of an index: statements about the whole index. A value.
struct Superblock {
  std::uint16_t version_major = kVersionMajor;  ///< a reader refuses a newer one
  std::uint16_t version_minor = kVersionMinor;  ///< newer ones only add fields that may be ignored
  std::uint64_t compat = 0;                     ///< feature bits (format/header/feature.h)
  std::uint64_t ro_compat = 0;                  ///< likewise
  std::uint64_t incompat = 0;                   ///< likewise
  Uuid uuid{};                                  ///< of the image, shared by index and volumes
  std::uint64_t index_bytes = 0;        ///< whole index, this page included; multiple of kPageBytes
  std::uint64_t namespace_entries = 0;  ///< lower ordinals are names of the tree
  std::uint64_t link_entries = 0;       ///< the ordinals after them are link records
  std::uint64_t next_inode = 0;         ///< this and all higher numbers are unused
  std::int64_t created_seconds = 0;     ///< since 1970-01-01 UTC
  // Totals, for statfs and info. No safety check relies on them.
  std::uint64_t regular_files = 0;  ///< objects; a multiply linked one counts once
  std::uint64_t directories = 0;    ///< the root included
  std::uint64_t symlinks = 0;       ///< objects
  std::uint64_t other_files = 0;    ///< devices, FIFOs and sockets
  std::uint64_t content_bytes = 0;  ///< sum of sizes of regular files, multiply linked ones once
  std::uint64_t stored_bytes = 0;   ///< extents in all volumes, checksums included
  std::array<SectionPlace, kSectionKinds> sections{};  ///< indexed by kind

  /// The result lives as long as this object.
  [[nodiscard]] const SectionPlace& section(SectionKind kind) const {
    return sections[static_cast<std::size_t>(kind)];
  }
  friend bool operator==(const Superblock&, const Superblock&) = default;
};

/// Makes kPageBytes bytes with a checksum. Sections of length 0 are absent and get no row.
[[nodiscard]] Buffer encode_superblock(const Superblock& superblock);

/// Checks magic, checksum, version and features, and that sections lie inside index_bytes, aligned
/// and without overlap. Errors: kCorrupt; kUnsupported (newer major version, unknown incompat bit).
[[nodiscard]] Result<Superblock> decode_superblock(Bytes page);

/// Whether `bytes` begin with an index's magic.
[[nodiscard]] bool is_superblock(Bytes bytes);

}  // namespace dgfs::format
