// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Header pages: the common part of superblock and volume header, the same in every version of the
// format. Magic, version, header length, feature words and UUID have fixed places at the front. The
// last 8 bytes are a checksum of the page.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "format/header/uuid.h"
#include "format/limits.h"

namespace dgfs::format {

/// First byte after the common part. The fields of the particular page follow.
inline constexpr std::size_t kHeaderCommonBytes = 56;
/// Offset of the compat word.
inline constexpr std::size_t kHeaderCompatOffset = 16;
/// Offset of the UUID.
inline constexpr std::size_t kHeaderUuidOffset = 40;
/// Offset of the page's checksum.
inline constexpr std::size_t kHeaderChecksumOffset = kPageBytes - kChecksumBytes;

/// The values of the common part.
struct HeaderCommon {
  std::uint16_t version_major = 0;
  std::uint16_t version_minor = 0;
  std::uint32_t header_bytes = 0;  ///< where the fields end; later minor versions append fields
  std::uint64_t compat = 0;
  std::uint64_t ro_compat = 0;
  std::uint64_t incompat = 0;
  Uuid uuid{};
};

/// Writes the common part into `page` (kPageBytes), then the checksum over everything: call it
/// last.
/// @param magic  8 bytes
void seal_header_page(std::string_view magic, const HeaderCommon& common, MutableBytes page);

/// Checks magic, checksum, version, incompat bits and header_bytes.
/// @param magic         8 bytes
/// @param section       names the page in errors: "superblock"
/// @param header_bytes  where the fields end in this program's version
/// Errors: kCorrupt; kUnsupported (newer major version, unknown incompat bits).
[[nodiscard]] Result<HeaderCommon> open_header_page(std::string_view magic,
                                                    std::string_view section,
                                                    std::size_t header_bytes, Bytes page);

/// kCorrupt unless page[begin, kHeaderChecksumOffset) is zero.
[[nodiscard]] Status check_header_rest(std::string_view section, std::size_t begin, Bytes page);

}  // namespace dgfs::format
