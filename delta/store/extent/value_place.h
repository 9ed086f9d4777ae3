// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValuePlace: where a large value lies, with a checksum of each of its parts, so that a part can be
// read and checked alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "delta/store/disk/decode_error.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/disk/place_codec.h"
#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {

/// The least length of a part.
inline constexpr std::uint64_t kValuePartBytesMin = std::uint64_t{16} << 10;
/// The most parts of a value. Parts of longer values are longer, by powers of two.
inline constexpr std::uint64_t kValuePartsMax = 64;

/// Length of all parts of a value but the last, which may be shorter. A multiple of
/// kBlockAlignmentBytes.
[[nodiscard]] constexpr std::uint64_t value_part_bytes(std::uint64_t value_bytes) {
  std::uint64_t bytes = kValuePartBytesMin;
  while (bytes * kValuePartsMax < value_bytes) bytes *= 2;
  return bytes;
}

/// How many parts a value has.
[[nodiscard]] constexpr std::uint64_t value_parts(std::uint64_t value_bytes) {
  const auto part_bytes = value_part_bytes(value_bytes);
  return (value_bytes + part_bytes - 1) / part_bytes;
}

/// A value.
struct ValuePlace {
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;   ///< 1 to kValueBytesMax, without padding
  std::vector<std::uint64_t> sums;  ///< of its parts, in order

  /// The place of a value that lies at an offset.
  [[nodiscard]] static ValuePlace of(std::uint64_t offset_bytes, Bytes value) {
    ValuePlace place{offset_bytes, value.size(), {}};
    const auto part_bytes = static_cast<std::size_t>(value_part_bytes(value.size()));
    place.sums.reserve(static_cast<std::size_t>(value_parts(value.size())));
    for (std::size_t at = 0; at < value.size(); at += part_bytes) {
      place.sums.push_back(
          format::checksum64(value.subspan(at, std::min(part_bytes, value.size() - at))));
    }
    return place;
  }

  [[nodiscard]] Extent extent() const { return {offset_bytes, length_bytes}; }
  [[nodiscard]] std::uint64_t part_bytes() const { return value_part_bytes(length_bytes); }
  /// The place of a part, as of a block of its own. @param number  of the part
  [[nodiscard]] Place part(std::size_t number) const {
    const auto begin = number * part_bytes();
    return {offset_bytes + begin, std::min(part_bytes(), length_bytes - begin), sums[number]};
  }

  friend bool operator==(const ValuePlace&, const ValuePlace&) = default;
};

inline void encode_value_place(const ValuePlace& place, format::Encoder& out) {
  encode_extent(place.extent(), out);
  for (const std::uint64_t sum : place.sums) out.fixed(sum);
}

/// Errors: kCorrupt.
[[nodiscard]] inline Result<ValuePlace> decode_value_place(format::Decoder& in) {
  DGFS_TRY(extent, decode_extent(in));
  if (extent.length_bytes == 0 || extent.length_bytes > kValueBytesMax) {
    return corrupt(7009, in, "a large value has an impossible length");
  }
  ValuePlace place{extent.offset_bytes, extent.length_bytes, {}};
  place.sums.reserve(static_cast<std::size_t>(value_parts(extent.length_bytes)));
  for (std::uint64_t at = 0; at < extent.length_bytes; at += place.part_bytes()) {
    DGFS_TRY(sum, in.fixed<std::uint64_t>());
    place.sums.push_back(sum);
  }
  return place;
}

}  // namespace dgfs::delta
