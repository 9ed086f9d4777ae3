// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Index pages: kPageBytes bytes that hold as many consecutive entries as fit once compressed. A
// page is position-independent: its keys are relative to a prefix, its data addresses to a first
// offset, and its ordinals to a first ordinal. All three are in the page directory, not in the
// page. So a merge can move a page, or give it another prefix, without decoding it.
//
// All codecs have the same header (magic, codec, counts, ids, checksum). The payload is the codec's
// own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "format/limits.h"

namespace dgfs::format {

/// Offset | size | meaning. Little-endian.
struct PageHeader {
  std::uint64_t checksum = 0;         //  0 | 8 | checksum64 of bytes [8, kPageBytes)
  std::uint32_t magic = 0;            //  8 | 4 | "DGPG"
  std::uint8_t codec = 0;             // 12 | 1 | page codec id
  std::uint8_t flags = 0;             // 13 | 1 | kPageGaps, or zero
  std::uint16_t model_id = 0;         // 14 | 2 |
  std::uint16_t attribute_table = 0;  // 16 | 2 | table id
  std::uint16_t entry_count = 0;      // 18 | 2 | 1 to kPageEntriesMax
  std::uint32_t decoded_bytes = 0;    // 20 | 4 | length of the decompressed payload
  std::uint16_t payload_bytes = 0;    // 24 | 2 | at most kPagePayloadBytesMax; zeros follow it
  std::uint16_t reserved = 0;         // 26 | 2 | zero
};
inline constexpr std::size_t kPageHeaderBytes = 28;
/// Flag: entries of the page may have gaps. Only of the token codec.
inline constexpr std::uint8_t kPageGaps = 1;
inline constexpr std::size_t kPagePayloadBytesMax = kPageBytes - kPageHeaderBytes;

/// Checks magic, checksum, reserved bytes and bounds. `page` must be kPageBytes long.
/// Errors: kCorrupt.
[[nodiscard]] Result<PageHeader> read_page_header(Bytes page);

/// Makes a page of `payload` (at most kPagePayloadBytesMax bytes) and `header`, in which it sets
/// magic, payload length and checksum.
[[nodiscard]] Buffer make_page(const PageHeader& header, Bytes payload);

}  // namespace dgfs::format
