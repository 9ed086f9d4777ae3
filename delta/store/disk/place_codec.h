// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Encodes and decodes places and extents.
#pragma once

#include "delta/store/disk/block_file.h"
#include "format/coding.h"

namespace dgfs::delta {

inline void encode_extent(const Extent& extent, format::Encoder& out) {
  out.varint(extent.offset_bytes / kBlockAlignmentBytes);
  out.varint(extent.length_bytes);
}

/// Errors: kCorrupt.
[[nodiscard]] inline Result<Extent> decode_extent(format::Decoder& in) {
  DGFS_TRY(block, in.varint_up_to(UINT64_MAX / kBlockAlignmentBytes));
  DGFS_TRY(length, in.varint_up_to(kBlockBytesMax));
  return Extent{block * kBlockAlignmentBytes, length};
}

inline void encode_place(const Place& place, format::Encoder& out) {
  encode_extent(place.extent(), out);
  out.fixed(place.checksum);
}

/// Errors: kCorrupt.
[[nodiscard]] inline Result<Place> decode_place(format::Decoder& in) {
  DGFS_TRY(extent, decode_extent(in));
  DGFS_TRY(checksum, in.fixed<std::uint64_t>());
  return Place{extent.offset_bytes, extent.length_bytes, checksum};
}

}  // namespace dgfs::delta
